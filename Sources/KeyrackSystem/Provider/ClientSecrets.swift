import FoundationEssentials
package import KeyrackCore
package import KeyrackProtocol

/// The secrets of clients, and their private keys. That of a command is asked for each time: it may live as short as it
/// likes. That of the keyring is kept in memory.
package actor ClientSecrets: ClientSecretSource, ClientSecretStore {
  private typealias Outcome = Result<Secret, ClientSecretError>

  private let source: any ClientSecretLookup & ClientSecretStore
  private let environment: [String: String]
  private let limit: Duration
  private var kept: [String: Secret] = [:]
  /// By provider. Who comes meanwhile waits for the same.
  private var flights: [String: Task<Result<Secret, ClientSecretError>, Never>] = [:]

  /// `limit` is how long a command may take.
  package init(
    source: any ClientSecretLookup & ClientSecretStore,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    limit: Duration = .seconds(10)
  ) {
    self.source = source
    self.environment = environment
    self.limit = limit
  }

  package func secret(of provider: Provider) async -> Result<Secret, ClientSecretError> {
    let command = provider.secretCommand
    if command == nil, let secret = kept[provider.name] { return .success(secret) }
    if let flight = flights[provider.name] { return await flight.value }
    let flight = Task { await find(provider.name, command) }
    flights[provider.name] = flight
    let outcome = await flight.value
    // Forgotten meanwhile?
    guard flights[provider.name] == flight else { return outcome }
    flights[provider.name] = nil
    if command == nil, case .success(let secret) = outcome { kept[provider.name] = secret }
    return outcome
  }

  package func keep(_ secret: Secret?, of provider: String) async throws(StoreError) {
    defer { forget(provider) }
    try await source.keep(secret, of: provider)
  }

  /// The keyring holds another one now, or none.
  private func forget(_ provider: String) {
    kept[provider] = nil
    flights[provider] = nil
  }

  private func find(_ provider: String, _ command: String?) async -> Outcome {
    guard let command else { return await lookUp(provider) }
    do throws(Hook.Failure) {
      return .success(try await SecretCommand(command: command, environment: environment, limit: limit).run())
    } catch {
      let name = Provider.displayName(of: provider)
      return .failure(ClientSecretError("the client_secret_command of \(name) \(error.message)", .failed))
    }
  }

  private func lookUp(_ provider: String) async -> Outcome {
    do throws(StoreError) {
      if let secret = try await source.clientSecret(of: provider) { return .success(secret) }
      let name = Provider.displayName(of: provider)
      let message = "the provider \(name) needs a client secret: keyrack provider secret \(provider)"
      return .failure(ClientSecretError(message, .missing))
    } catch {
      return .failure(Self.failure(error, provider))
    }
  }

  private static func failure(_ error: StoreError, _ provider: String) -> ClientSecretError {
    let what = "the client secret of \(Provider.displayName(of: provider))"
    return switch error {
    case .locked: ClientSecretError("\(what) is in the keyring, which is locked", .locked)
    case .unavailable(let why): ClientSecretError("\(what) is in the keyring: \(why)", .locked)
    case .failed(let why): ClientSecretError("\(what) could not be read: \(why)", .failed)
    // Of records of sessions.
    case .unusable, .conflict: ClientSecretError("\(what) could not be read", .failed)
    }
  }
}

extension Provider {
  fileprivate var secretCommand: String? {
    guard case .oauth(let oauth) = kind else { return nil }
    return oauth.secretCommand
  }
}

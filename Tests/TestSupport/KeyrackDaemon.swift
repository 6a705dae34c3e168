import Foundation
import Glibc
package import KeyrackProtocol

/// The built `keyrackd` in a private session, with a configuration of the test's.
package actor KeyrackDaemon {
  package nonisolated let session: PrivateSession
  package nonisolated let socket: String
  package nonisolated let environment: [String: String]
  /// Holds `home` and `run`.
  private nonisolated let path: String
  private let wrapper: [String]
  private var process: Child?

  /// Starts it and waits until it answers. One that is `apart` shares nothing with others of the session but the bus and
  /// the keyring. `wrapper`, if any, starts it.
  package init(
    in session: PrivateSession, configuration: String, environment more: [String: String] = [:], apart: String? = nil,
    by wrapper: [String] = []
  ) async throws {
    self.session = session
    self.wrapper = wrapper
    path = session.path + (apart.map { "/" + $0 } ?? "")
    let own = apart == nil ? [:] : ["HOME": "\(path)/home", "XDG_RUNTIME_DIR": "\(path)/run"]
    environment = session.environment.merging(own) { $1 }.merging(more) { $1 }
    socket = "\(path)/run/keyrack/keyrack.sock"
    for folder in own.values {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    try write(configuration: configuration)
    try await start()
  }

  package nonisolated func write(configuration: String) throws {
    let folder = "\(path)/home/.config/keyrack"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try configuration.write(toFile: "\(folder)/keyrack.conf", atomically: true, encoding: .utf8)
  }

  package func start(with more: [String: String] = [:]) async throws {
    process = try Child(
      wrapper + [Products.path(of: "keyrackd")], environment: environment.merging(more) { $1 }, error: log)
    try await eventually("keyrackd to answer", within: .seconds(10)) {
      if let status = process?.exitStatus { throw Child.Failure(description: "keyrackd ended with \(status): \(said)") }
      // It listens before it has read its configuration, which the test may write anew next.
      return (try? await call(VersionOperation())) != nil
    }
  }

  package var pid: Int32 { process?.pid ?? 0 }

  package nonisolated var log: String { "\(path)/keyrackd.log" }

  /// What it has logged so far.
  package nonisolated var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Ends it by SIGTERM. Returns its exit status.
  @discardableResult package func stop() async throws -> Int32 {
    process?.send(SIGTERM)
    let status = try await process?.wait(within: .seconds(30)) ?? 0
    process = nil
    return status
  }

  /// Waits until it has ended by itself. Its exit status, 128 and the signal where it was killed.
  @discardableResult package func end() async throws -> Int32 {
    defer { process = nil }
    return try await process?.wait() ?? 0
  }

  /// Ends it by SIGKILL.
  package func kill() {
    process?.end()
    process = nil
  }

  package func send(_ signal: Int32) { process?.send(signal) }

  package func restart() async throws {
    try await stop()
    try await start()
  }

  package nonisolated func call<O: KeyrackProtocol.Operation>(_ operation: O) async throws -> O.Reply {
    try await Wire(socket).call(operation)
  }

  /// The error that an operation ends in. Throws where it works.
  package nonisolated func failure<O: KeyrackProtocol.Operation>(_ operation: O) async throws -> ReplyError {
    do { _ = try await call(operation) } catch let error as ReplyError { return error }
    throw Child.Failure(description: "\(O.name.rawValue) worked")
  }

  /// Runs the command line.
  package nonisolated func keyrack(_ arguments: String..., input: String = "") async throws -> Child.Result {
    try await Child.run(
      [Products.path(of: "keyrack")] + arguments, environment: environment, input: input, within: .seconds(60))
  }
}

/// A daemon and the provider that its accounts are at.
package struct KeyrackFixture: Sendable {
  package let session: PrivateSession
  package let provider: SampleProvider
  package let daemon: KeyrackDaemon

  package init(
    _ mode: PrivateSession.Mode = .unlocked, accounts: [String] = ["work"], accessLifetime: Double = 3600,
    configuration: ((SampleProvider) -> String)? = nil
  ) async throws {
    try await self.init(
      in: PrivateSession(mode), accounts: accounts, accessLifetime: accessLifetime, configuration: configuration)
  }

  package init(
    in session: PrivateSession, accounts: [String] = ["work"], accessLifetime: Double = 3600,
    environment: [String: String] = [:], by wrapper: [String] = [],
    configuration: ((SampleProvider) -> String)? = nil
  ) async throws {
    self.session = session
    provider = try SampleProvider()
    try await provider.set(.init(accessLifetime: accessLifetime))
    let text = configuration?(provider) ?? Self.oauth(provider, accounts: accounts)
    daemon = try await KeyrackDaemon(in: session, configuration: text, environment: environment, by: wrapper)
  }

  /// A provider `corp` of OAuth, and accounts at it.
  package static func oauth(_ provider: SampleProvider, accounts: [String] = ["work"]) -> String {
    """
    [provider corp]
    client_id=keyrack-test
    token_endpoint=\(provider.url("/token"))
    revocation_endpoint=\(provider.url("/revoke"))
    password_grant=true

    """ + accounts.map { "[account \($0)]\nprovider=corp\n" }.joined()
  }

  /// A provider `corp` with a login of its own.
  package static func json(_ provider: SampleProvider, accounts: [String] = ["work"]) -> String {
    """
    [provider corp]
    kind=json
    login_url=\(provider.url("/login"))
    refresh_url=\(provider.url("/refresh"))
    logout_url=\(provider.url("/logout"))

    """ + accounts.map { "[account \($0)]\nprovider=corp\n" }.joined()
  }

  package static let password = "wonder+land&1"

  @discardableResult
  package func signIn(
    _ account: String = "work", username: String = "alice", password: String = KeyrackFixture.password,
    remember: Bool? = nil
  ) async throws -> LoginOperation.Reply {
    try await daemon.call(
      LoginOperation(account: account, username: username, password: Secret(password), remember: remember))
  }

  package func token(_ account: String = "work") async throws -> String {
    text(try await daemon.call(TokenOperation(account: account)).token)
  }

  /// The newest refresh token that the provider would take.
  package func liveRefreshTokens() async throws -> [String] {
    try await provider.tokens().filter { $0.kind == .refresh }.map(\.token)
  }
}

package func text(_ secret: Secret) -> String { String(decoding: secret.bytes, as: UTF8.self) }

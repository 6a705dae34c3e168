import KeyrackProtocol
import TestSupport
import Testing

/// A daemon with an account at each of several real servers. An account has the name of its server's kind.
struct RealServerFixture {
  let session: PrivateSession
  let daemon: KeyrackDaemon
  let providers: [RealProvider]

  init(_ kinds: RealProvider.Kind...) async throws {
    session = try await PrivateSession()
    providers = try kinds.map { try RealServers.provider($0) }
    daemon = try await KeyrackDaemon(
      in: session,
      configuration: providers.map {
        $0.configuration($0.account) + "[account \($0.account)]\nprovider=\($0.account)\n"
      }
      .joined())
  }

  /// By password where the server takes one from a public client, with a refresh token where not.
  func signIn() async throws {
    for provider in providers {
      if provider.kind == .glewlwyd {
        try await signIn(provider, with: provider.signIn())
      } else {
        let login = LoginOperation(
          account: provider.account, username: "alice", password: Secret(RealProvider.password))
        #expect(try await daemon.call(login).remembered)
      }
    }
  }

  func signIn(_ provider: RealProvider, with refreshToken: String) async throws {
    let login = LoginOperation(
      account: provider.account, method: .refreshToken, refreshToken: Secret(refreshToken))
    #expect(try await daemon.call(login).remembered)
  }

  func token(_ provider: RealProvider, insteadOf rejected: String? = nil) async throws -> TokenOperation.Reply {
    try await daemon.call(TokenOperation(account: provider.account, rejected: rejected.map { Secret($0) }))
  }

  /// What all accounts give, each checked at its server.
  func goodTokens(insteadOf spent: [String] = []) async throws -> [TokenOperation.Reply] {
    try await withThrowingTaskGroup { group in
      for (index, provider) in providers.enumerated() {
        group.addTask { (index, try await goodToken(provider, insteadOf: spent.isEmpty ? nil : spent[index])) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  private func goodToken(_ provider: RealProvider, insteadOf spent: String?) async throws -> TokenOperation.Reply {
    let reply = try await token(provider, insteadOf: spent)
    #expect(text(reply.token) != spent, "\(provider.account)")
    if try await provider.accepts(accessToken: text(reply.token)) { return reply }
    // A refresh ahead of time may have ended it meanwhile, as this server does. Then there is another.
    let other = try await token(provider, insteadOf: text(reply.token))
    #expect(other.token != reply.token, "\(provider.account)")
    #expect(try await provider.accepts(accessToken: text(other.token)), "\(provider.account)")
    return other
  }
}

extension RealProvider {
  var account: String { kind.rawValue }
}

/// The servers of a suite: started together before its tests, as they take seconds, and ended after them.
struct RealServers: SuiteTrait, TestScoping {
  @TaskLocal private static var running: [RealProvider] = []

  let kinds: [RealProvider.Kind]
  /// Of access tokens, in seconds.
  let accessLifetime: Int
  let overTLS: Bool

  static func provider(_ kind: RealProvider.Kind) throws -> RealProvider {
    try #require(running.first { $0.kind == kind })
  }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let providers = try await withThrowingTaskGroup { group in
      for kind in kinds {
        group.addTask { try await RealProvider(kind, accessLifetime: accessLifetime, overTLS: overTLS) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await Self.$running.withValue(providers) { try await function() }
  }
}

extension Trait where Self == RealServers {
  static var realServers: Self { Self(kinds: RealProvider.Kind.allCases, accessLifetime: 3, overTLS: false) }
  static func realServersOverTLS(accessLifetime: Int) -> Self {
    Self(kinds: [.glewlwyd, .django], accessLifetime: accessLifetime, overTLS: true)
  }
}

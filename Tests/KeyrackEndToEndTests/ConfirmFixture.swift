import KeyrackProtocol
import TestSupport
import Testing

/// A daemon that asks before it hands out a token of `work`; not so of `other`.
struct ConfirmFixture: Sendable {
  let fixture: KeyrackFixture
  let askpass: Askpass
  var daemon: KeyrackDaemon { fixture.daemon }
  var provider: SampleProvider { fixture.provider }

  init(accessLifetime: Double = 3600, lifetime: Int? = nil, environment: [String: String] = [:]) async throws {
    askpass = try Askpass()
    fixture = try await KeyrackFixture(
      in: PrivateSession(), accessLifetime: accessLifetime, environment: askpass.environment.merging(environment) { $1 }
    ) { Self.configuration($0, lifetime) }
    try await fixture.signIn()
  }

  static func configuration(_ provider: SampleProvider, _ lifetime: Int?) -> String {
    KeyrackFixture.oauth(provider, accounts: ["other", "work"]) + "confirm=yes\n"
      + (lifetime.map { "confirm_ttl=\($0)\n" } ?? "")
  }

  /// A token of `work`; the person says yes.
  func allowed() async throws -> String {
    askpass.answer(0)
    return try await fixture.token()
  }

  /// The person says no.
  func denied() async throws -> ReplyError {
    askpass.answer(1)
    return try await daemon.failure(TokenOperation(account: "work"))
  }

  /// A request that waits for the person.
  func pending(_ operation: TokenOperation = TokenOperation(account: "work")) async throws -> Wire {
    let asked = askpass.asked.count
    let wire = try Wire(daemon.socket)
    try await wire.send(operation.line())
    try await askpass.waitForQuestions(asked + 1)
    return wire
  }
}

extension Wire {
  /// The token in the next answer.
  func token() async throws -> String {
    text(try Reply<TokenOperation.Reply>(line: (try await line() ?? "").utf8).result.get().token)
  }
}

import KeyrackProtocol
import TestSupport
import Testing

/// Each with 500 callers whose token a server refused. Some hang up before there is another, some wait for a second or not
/// at all, some say that they will ask for nothing more.
struct SoakRounds {
  private static let callers = 500

  private(set) var count = 0
  private let fixture: KeyrackFixture
  private var random = SeededGenerator(2026)
  /// The number of the provider's last request that was looked at.
  private var seen = 0

  private struct Caller {
    let wire: Wire
    /// Seconds; nil for as long as it takes.
    let patience: Int?
  }

  init(_ fixture: KeyrackFixture) { self.fixture = fixture }

  mutating func next() async throws {
    let spent = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    seen = try await fixture.provider.log(after: seen).last?.number ?? seen
    var callers = try await callers(rejecting: spent)
    try await fixture.provider.waitForRequests("/token", after: seen)
    callers.shuffle(using: &random)
    callers.removeFirst(Int.random(in: 0...Self.callers, using: &random))
    if count % 10 == 0 { callers = try await sendAway(callers) }
    if count % 5 == 4 { try await endSession(of: callers) } else { try await endRefresh(of: callers, spent) }
    try await signInAndOut()
    try await expectSound(otherThan: spent)
    count += 1
  }

  private mutating func callers(rejecting token: String) async throws -> [Caller] {
    var callers: [Caller] = []
    for _ in 0..<Self.callers {
      let patience = [nil, nil, 0, 1].randomElement(using: &random) ?? nil
      let wire = try Wire(fixture.daemon.socket)
      try await wire.send(TokenOperation(account: "work", rejected: Secret(token), timeout: patience).line())
      if Bool.random(using: &random) { wire.finish() }
      callers.append(Caller(wire: wire, patience: patience))
    }
    return callers
  }

  /// Those whose time runs out before the provider answers are told so. Returns the others.
  private func sendAway(_ callers: [Caller]) async throws -> [Caller] {
    for caller in callers where caller.patience != nil {
      let error = await #expect(throws: ReplyError.self) { try await reply(to: caller).get() }
      #expect(error?.code == .timeout)
    }
    return callers.filter { $0.patience == nil }
  }

  private func endRefresh(of callers: [Caller], _ spent: String) async throws {
    try await fixture.provider.release("/token")
    var tokens: Set<String> = []
    for caller in callers {
      switch try await reply(to: caller) {
      case .success(let reply): tokens.insert(text(reply.token))
      case .failure(let error): #expect(error.code == .timeout && caller.patience != nil, "\(error)")
      }
    }
    #expect(tokens.count <= 1 && !tokens.contains(spent))
    let requests = try await fixture.provider.log(after: seen)
    #expect(requests.map(\.grantType) == ["refresh_token"])
  }

  /// By a logout while the refresh is under way.
  private func endSession(of callers: [Caller]) async throws {
    _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
    try await fixture.provider.release("/token")
    for caller in callers {
      let reply = try await reply(to: caller)
      #expect(throws: ReplyError.self) { try reply.get() }
    }
    try await fixture.signIn()
  }

  private func reply(to caller: Caller) async throws -> Result<TokenOperation.Reply, ReplyError> {
    try Reply<TokenOperation.Reply>(line: (try await caller.wire.line() ?? "").utf8).result
  }

  private func signInAndOut() async throws {
    try await fixture.signIn("other", username: "bob", password: KeyrackFixture.bobsPassword)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token("other")))
    let logout = try await fixture.daemon.call(LogoutOperation(account: "other", wait: true))
    #expect(logout == .init(account: "other", local: .done, remote: .done))
  }

  /// The account has a token that is good, and the keyring has the refresh token of it and nothing else.
  private func expectSound(otherThan spent: String) async throws {
    let token = try await fixture.token()
    #expect(token != spent)
    #expect(try await fixture.provider.accepts(accessToken: token))
    // A logout that nobody waited for is told to the provider when it is.
    try await eventually("the session to be all there is", within: .seconds(15)) {
      try await fixture.liveRefreshTokens().count == 1
    }
    try await fixture.keyringHolds(1)
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
  }
}

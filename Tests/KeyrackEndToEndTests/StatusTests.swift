import FoundationEssentials
import KeyrackProtocol
import TestSupport
import Testing

/// What `status` says, and what `token` answers, in each state that a session can be in.
@Suite(.timeLimit(.minutes(1))) struct StatusTests {
  struct Answer: Sendable {
    var status: Int?
    var headers: [String: String]?
    var body: String?
    var drop: SampleProvider.Drop?
    let state: AccountState
    let code: ErrorCode
    var reason: String?
    var waits = true
  }

  @Test(arguments: [
    Answer(status: 429, headers: ["Retry-After": "30"], state: .throttled, code: .throttled),
    Answer(status: 400, body: #"{"error":"unsupported_grant_type"}"#, state: .degraded, code: .providerError),
    Answer(drop: .after, state: .unknownOutcome, code: .temporarilyUnavailable),
    Answer(status: 502, state: .unknownOutcome, code: .temporarilyUnavailable),
    Answer(
      status: 400, body: #"{"error":"invalid_grant"}"#, state: .loginRequired, code: .loginRequired, reason: "revoked",
      waits: false),
  ])
  func aFailedRefreshIsReportedAndTheTokenInMemoryServed(_ answer: Answer) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let (first, record) = try await (fixture.token(), fixture.onlyItem())
    try await fixture.provider.script(
      "/token", status: answer.status, headers: answer.headers, body: answer.body, drop: answer.drop)
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
    #expect(error.code == answer.code)
    #expect(error.reason == answer.reason)
    #expect((error.retryAfter != nil) == (answer.waits && error.retryable))
    let status = try await fixture.status(of: "work")
    #expect(status.state == answer.state)
    #expect(status.reason == answer.reason)
    #expect(status.lastError?.code == answer.code)
    #expect((status.nextAttemptAt != nil) == answer.waits)
    #expect(status.saved && status.remembered)
    #expect(try await fixture.token() == first)
    #expect(try await fixture.onlyItem() == record)
  }

  @Test func throttledItSaysWhenTheProviderMayBeAskedAgain() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", status: 429, headers: ["Retry-After": "30"])
    for _ in 0..<3 {
      let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
      #expect((15...30).contains(error.retryAfter ?? 0))
    }
    let next = try #require(try await fixture.status(of: "work").nextAttemptAt)
    #expect((15...31).contains(next - Int(Date().timeIntervalSince1970)))
    #expect(try await fixture.provider.log().count == 2)
  }

  @Test func withoutANetworkItIsDegraded() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    fixture.provider.stop()
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
    #expect(error.code == .temporarilyUnavailable)
    #expect(error.retryable && error.retryAfter != nil)
    let status = try await fixture.status(of: "work")
    #expect(status.state == .degraded)
    #expect(status.lastError?.message == error.message)
    #expect(try await fixture.token() == first)
  }

  @Test func refreshingItServesTheTokenInMemory() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    #expect(try await fixture.status(of: "work").state == .active)
    try await fixture.provider.script("/token", hold: true)
    async let second = fixture.token(insteadOf: first)
    try await fixture.provider.waitForRequests("/token", count: 2)
    #expect(try await fixture.status(of: "work").state == .refreshing)
    #expect(try await fixture.token() == first)
    try await fixture.provider.release("/token")
    let token = try await second
    #expect(token != first)
    let status = try await fixture.status(of: "work")
    #expect(status.state == .active)
    #expect(status.refreshedAt != nil)
    #expect(status.lastError == nil)
  }

  @Test func lockedDuringARefreshItIsUnsavedUntilUnlocked() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    async let second = fixture.token(insteadOf: first)
    try await fixture.provider.waitForRequests("/token", count: 2)
    try await fixture.session.lock()
    try await fixture.provider.release("/token")
    let token = try await second
    #expect(try await fixture.provider.accepts(accessToken: token))
    let unsaved = try await fixture.status(of: "work")
    #expect(unsaved.state == .unsaved)
    #expect(unsaved.remembered && !unsaved.saved)
    // Nothing is spent while the newest refresh token is only in memory.
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(token)))
    #expect(error.code == .keyringLocked)
    #expect(try await fixture.provider.log().count { $0.path == "/token" } == 2)
    try await fixture.session.unlock()
    try await eventually("the newest token in the keyring", within: .seconds(10)) {
      try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken())
    }
    try await eventually("the state to say so") { try await fixture.status(of: "work").saved }
    try await eventually("it to be active") { try await fixture.status(of: "work").state == .active }
  }
}

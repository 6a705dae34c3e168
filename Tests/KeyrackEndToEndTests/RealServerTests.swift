import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// What the sample provider cannot show: that servers which others wrote take what Keyrack sends, and never get a refresh
/// token twice that they take once.
@Suite(.realServers, .serialized, .timeLimit(.minutes(2))) struct RealServerTests {
  @Test func sessionsOutliveExpiriesAndRestarts() async throws {
    let fixture = try await RealServerFixture(.glewlwyd, .django, .djangoWithGrace)
    try await fixture.signIn()
    for round in 0..<3 { try await fixture.outliveExpiry(round) }
    try await fixture.expectLogout()
  }

  @Test func aRefreshTokenThatSomebodyElseUsesEndsTheSession() async throws {
    let fixture = try await RealServerFixture(.django)
    let provider = fixture.providers[0]
    let stolen = try await provider.signIn()
    try await fixture.signIn(provider, with: stolen)
    let token = try await fixture.goodTokens()[0].token
    #expect(try await provider.accepts(refreshToken: stolen) == false)
    let error = try await fixture.daemon.failure(TokenOperation(account: provider.account, rejected: token))
    #expect(error.code == .loginRequired)
    #expect(error.reason == "revoked")
  }

  /// glewlwyd says 400 and nothing else of a dead refresh token.
  @Test
  func aRefusalWithoutAWordIsRepeatedOnceAndEndsTheSession() async throws {
    let fixture = try await RealServerFixture(.glewlwyd)
    let provider = fixture.providers[0]
    let stolen = try await provider.signIn()
    try await fixture.signIn(provider, with: stolen)
    let token = try await fixture.goodTokens()[0].token
    #expect(try await provider.accepts(refreshToken: stolen) == false)
    let refusals = provider.refusals
    let request = TokenOperation(account: provider.account, rejected: token)
    try await eventually("the end of the session", within: .seconds(15)) {
      let error = try await fixture.daemon.failure(request)
      return error.code == .loginRequired && error.reason == "revoked"
    }
    #expect(provider.refusals == refusals + 2)
    #expect(try await fixture.daemon.failure(request).code == .loginRequired)
    #expect(provider.refusals == refusals + 2)
  }

  // MARK: In the middle of a refresh

  /// Has the server hold a refresh. Returns the access token that it is to replace, and who waits for the next.
  private func beginRefresh(_ fixture: RealServerFixture) async throws -> (spent: String, caller: Wire) {
    let provider = fixture.providers[0]
    try await fixture.signIn()
    provider.hold()
    // Whatever is left of it: a refresh for more would wait for the server.
    let current = TokenOperation(account: provider.account, minimumValidity: 0)
    let spent = try await fixture.daemon.call(current).token
    let caller = try Wire(fixture.daemon.socket)
    try await caller.send(TokenOperation(account: provider.account, rejected: spent).line())
    try await eventually("the refresh to be sent") { try provider.hasRequestWaiting() }
    return (text(spent), caller)
  }

  @Test(arguments: [RealProvider.Kind.glewlwyd, .django])
  func aStopWaitsForTheAnswerAndLosesNothing(_ kind: RealProvider.Kind) async throws {
    let fixture = try await RealServerFixture(kind)
    defer { fixture.providers[0].release() }
    let (spent, caller) = try await beginRefresh(fixture)
    await fixture.daemon.send(SIGTERM)
    let socket = fixture.daemon.socket
    try await eventually("the daemon to stop") { (try? Wire(socket)) == nil }
    #expect(try await caller.line()?.contains("shutting_down") == true)
    fixture.providers[0].release()
    #expect(try await fixture.daemon.end() == 0)
    try await fixture.daemon.start()
    _ = try await fixture.goodTokens(insteadOf: [spent])
  }

  /// The server has spent the refresh token, and nobody has the new one.
  @Test(arguments: [RealProvider.Kind.django, .djangoWithGrace])
  func aKillCostsTheSessionWhereTheServerHasNoGrace(_ kind: RealProvider.Kind) async throws {
    let fixture = try await RealServerFixture(kind)
    let provider = fixture.providers[0]
    defer { provider.release() }
    let (spent, caller) = try await beginRefresh(fixture)
    await fixture.daemon.kill()
    #expect(try await caller.line() == nil)
    let grants = provider.grants
    provider.release()
    try await eventually("the answer that nobody gets") { provider.grants > grants }
    try await fixture.daemon.start()
    if kind == .djangoWithGrace {
      _ = try await fixture.goodTokens(insteadOf: [spent])
    } else {
      #expect(try await fixture.daemon.failure(TokenOperation(account: provider.account)).code == .loginRequired)
    }
  }
}

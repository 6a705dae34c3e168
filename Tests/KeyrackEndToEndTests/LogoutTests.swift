import KeyrackProtocol
import TestSupport
import Testing

/// What a session started ends with it, wherever the daemon, the keyring or the provider stop on the way.
@Suite(.timeLimit(.minutes(2))) struct LogoutTests {
  private static let kept = LogoutOperation.Reply(account: "work", local: .done, remote: .pending)

  private func logOut(_ fixture: KeyrackFixture, wait: Bool? = nil) async throws -> LogoutOperation.Reply {
    try await fixture.daemon.call(LogoutOperation(account: "work", wait: wait))
  }

  // MARK: The order

  @Test func theRecordGoesBeforeTheProviderIsToldAndTheOutboxAfterIt() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let (refreshToken, accessToken) = try await (fixture.liveRefreshToken(), fixture.token())
    try await fixture.provider.script("/revoke", hold: true)
    #expect(try await logOut(fixture) == Self.kept)
    let request = try #require(try await fixture.provider.waitForRequests("/revoke").first)
    #expect(request.form?["token"] == refreshToken)
    let item = try await fixture.onlyItem()
    #expect(item.attributes["kind"] == "revoke")
    #expect(item.secret.contains(refreshToken))
    #expect(!item.secret.contains(accessToken))
    #expect(try await fixture.status().outbox.map(\.account) == ["work"])
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
    try await fixture.provider.release("/revoke")
    try await fixture.keyringHolds(0)
    #expect(try await fixture.status().outbox.isEmpty)
    #expect(fixture.notes.isEmpty)
    #expect(try await fixture.provider.log().allSatisfy { $0.outcome != .denied })
  }

  // MARK: Killed on the way

  enum Moment: CaseIterable {
    /// The keyring hangs, and the note that the session has ended is all there is.
    case noteWritten
    /// The outbox has it, and the record is there yet.
    case recordStillThere
    case providerAsked
    case answered
  }

  @Test(arguments: Moment.allCases) func killedAtAnyMomentItIsFinishedAtTheNextStart(_ moment: Moment) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let refreshToken = try await fixture.liveRefreshToken()
    switch moment {
    case .noteWritten: try await killOnceNoted(fixture)
    case .recordStillThere:
      let record = try await fixture.onlyItem()
      try await killOnceAsked(fixture)
      try await fixture.put(record.secret, in: record)
      #expect(try await fixture.session.items().count == 2)
    case .providerAsked: try await killOnceAsked(fixture)
    case .answered:
      _ = try await logOut(fixture)
      await fixture.daemon.kill()
    }
    try await fixture.daemon.start()
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
    try await fixture.keyringHolds(0)
    #expect(try await fixture.provider.log().contains { $0.path == "/revoke" && $0.form?["token"] == refreshToken })
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(try await fixture.status().outbox.isEmpty)
    #expect(fixture.notes.isEmpty)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }

  private func killOnceNoted(_ fixture: KeyrackFixture) async throws {
    await fixture.session.stopKeyring()
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(LogoutOperation(account: "work").line())
    try await eventually("the note") { !fixture.notes.isEmpty }
    await fixture.daemon.kill()
    await fixture.session.continueKeyring()
    #expect(try await fixture.items("session").count == 1)
  }

  private func killOnceAsked(_ fixture: KeyrackFixture) async throws {
    try await fixture.provider.script("/revoke", hold: true, drop: .before)
    #expect(try await logOut(fixture) == Self.kept)
    try await fixture.provider.waitForRequests("/revoke")
    #expect(try await fixture.onlyItem().attributes["kind"] == "revoke")
    await fixture.daemon.kill()
    try await fixture.provider.release("/revoke")
  }

  // MARK: The provider out of reach

  @Test func offlineItIsAnsweredAtOnceAndDeliveredOnceTheProviderIsBack() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let refreshToken = try await fixture.liveRefreshToken()
    fixture.provider.stop()
    let (took, reply) = try await timed { try await logOut(fixture) }
    #expect(reply == Self.kept)
    #expect(took < .seconds(5))
    try await eventually("the failed delivery in status") {
      try await fixture.status().outbox.first?.lastError?.code == .temporarilyUnavailable
    }
    #expect(try await fixture.status().outbox.first?.nextAttemptAt != nil)
    #expect(try await fixture.onlyItem().secret.contains(refreshToken))
    let back = try SampleProvider("--port", "\(fixture.provider.port)")
    let request = try #require(try await back.waitForRequests("/revoke", timeout: .seconds(20)).first)
    #expect(request.form?["token"] == refreshToken)
    try await fixture.keyringHolds(0)
  }

  @Test func eachFailedDeliveryIsWaitedForLonger() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    try await fixture.provider.script("/revoke", count: 2, drop: .before)
    #expect(try await logOut(fixture, wait: true) == Self.kept)
    let times = try await fixture.provider.waitForRequests("/revoke", count: 3, timeout: .seconds(20))
      .map(\.receivedAtMilliseconds)
    #expect(times[1] - times[0] >= 1000)
    #expect(times[2] - times[1] >= 2000)
    try await fixture.keyringHolds(0)
    #expect(try await fixture.provider.tokens().isEmpty)
  }

  @Test func withWaitItIsAnsweredOnceTheProviderHasAcknowledged() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    #expect(try await logOut(fixture, wait: true) == .init(account: "work", local: .done, remote: .done))
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await logOut(fixture, wait: true) == .init(account: "work", local: .done, remote: .none))
  }

  @Test(arguments: [false, true]) func aProviderThatCannotBeToldIsUnsupported(wait: Bool) async throws {
    let fixture = try await KeyrackFixture { provider in
      KeyrackFixture.oauth(provider).split(separator: "\n").filter { !$0.hasPrefix("revocation") }
        .joined(separator: "\n")
    }
    try await fixture.signIn()
    #expect(try await logOut(fixture, wait: wait) == .init(account: "work", local: .done, remote: .unsupported))
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.status().outbox.isEmpty)
  }

  // MARK: The keyring locked

  @Test(arguments: [false, true]) func lockedItIsFinishedOnceUnlocked(restarting: Bool) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    try await fixture.session.lock()
    #expect(try await logOut(fixture).local == .pending)
    #expect(fixture.notes.count == 1)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
    if restarting {
      try await fixture.daemon.restart()
      #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).code == .keyringLocked)
    }
    try await fixture.session.unlock()
    try await fixture.keyringHolds(0)
    try await eventually("the note to go") { fixture.notes.isEmpty }
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }

  // MARK: A refresh under way

  @Test func aRefreshUnderWayBringsNothingButItsRevocation() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    let waiting = try await waiters(5, rejecting: first, fixture)
    let refresh = try #require(try await fixture.provider.waitForRequests("/token", count: 2).last)
    let (newAccess, newRefresh) = (try #require(refresh.accessToken), try await fixture.liveRefreshToken())
    #expect(try await logOut(fixture) == Self.kept)
    for _ in 0..<5 { #expect(try await code(of: waiting.line()) == .sessionEnded) }
    try await fixture.provider.release("/token")
    try await fixture.keyringHolds(0)
    let uses = try await fixture.provider.log(after: refresh.number).filter {
      $0.body.contains(newAccess) || $0.body.contains(newRefresh)
    }
    // With the refresh token ends what came with it.
    #expect(uses.map(\.path) == ["/revoke"])
    #expect(uses.map { $0.form?["token"] } == [newRefresh])
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }

  @Test func anOldRefreshTouchesNothingOfTheNextSession() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    let waiting = try await waiters(3, rejecting: first, fixture)
    try await fixture.provider.waitForRequests("/token", count: 2)
    _ = try await logOut(fixture)
    try await fixture.signIn()
    for _ in 0..<3 { #expect(try await code(of: waiting.line()) == .sessionEnded) }
    let second = try await fixture.token()
    let record = try #require(try await fixture.items("session").first)
    try await fixture.provider.release("/token")
    try await fixture.keyringHolds(0, "revoke")
    #expect(try await fixture.onlyItem() == record)
    #expect(try await fixture.token() == second)
    #expect(try await fixture.provider.accepts(accessToken: second))
    #expect(Set(try await fixture.provider.tokens().map(\.family)) == [2])
    let third = try await fixture.token(insteadOf: second)
    #expect(try await fixture.provider.accepts(accessToken: third))
    #expect(try await fixture.sawReuse() == false)
  }

  /// Requests that wait for a refresh: the daemon has read them when this returns.
  private func waiters(_ count: Int, rejecting token: String, _ fixture: KeyrackFixture) async throws -> Wire {
    let wire = try Wire(fixture.daemon.socket)
    for _ in 0..<count { try await wire.send(TokenOperation(account: "work", rejected: Secret(token)).line()) }
    _ = try await wire.call(StatusOperation())
    return wire
  }

  private func code(of line: String?) throws -> ErrorCode? {
    switch try Reply<TokenOperation.Reply>(line: (line ?? "").utf8).result {
    case .success: nil
    case .failure(let error): error.code
    }
  }

  // MARK: Accounts that are not configured

  @Test(arguments: [false, true]) func anOrphanIsListedAndEndsWithItsLogout(restarting: Bool) async throws {
    let fixture = try await KeyrackFixture(accounts: ["work", "other"])
    try await fixture.signIn()
    try await fixture.signIn("other", username: "bob", password: KeyrackFixture.bobsPassword)
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider))
    #expect(try await fixture.daemon.call(ReloadOperation()).removed == ["other"])
    if restarting { try await fixture.daemon.restart() }
    try await eventually("the orphan in status") { try await fixture.status().orphans == ["other"] }
    #expect(try await fixture.status().accounts.map(\.account) == ["work"])
    #expect(try await fixture.daemon.failure(TokenOperation(account: "other")).code == .unknownAccount)
    #expect(try await fixture.items("session").count == 2)
    let logout = try await fixture.daemon.call(LogoutOperation(account: "other", wait: true))
    #expect(logout == .init(account: "other", local: .done, remote: .done))
    #expect(try await fixture.status().orphans.isEmpty)
    #expect(try await fixture.onlyItem().attributes["account"] == "work")
    #expect(Set(try await fixture.provider.tokens().map(\.user)) == ["alice"])
    #expect(try await fixture.daemon.failure(LogoutOperation(account: "other")).code == .unknownAccount)
  }
}

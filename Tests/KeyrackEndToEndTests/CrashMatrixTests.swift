import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// keyrackd killed at each step of a refresh, and started again. A session may be lost only between the provider's
/// answer and our store, only where the provider rotates refresh tokens, and then nobody is told that it was revoked.
@Suite(.timeLimit(.minutes(2)))
struct CrashMatrixTests {
  /// What keyrackd takes in KEYRACK_CRASH_AT, in the order of a refresh.
  enum Step: String, CaseIterable {
    /// The keyring was read.
    case checked
    /// It is noted that the token is about to be spent.
    case intended
    /// The request is with the HTTP client: the provider may or may not get it.
    case sent
    case answered
    case stored
    /// The note is gone.
    case cleared
    case published
  }

  enum Habit: String, CaseIterable {
    /// And takes a spent token for theft.
    case rotates
    case keepsTokens
  }

  @Test(arguments: Step.allCases, Habit.allCases)
  func onlyAKillBetweenAnswerAndStoreMayCostTheSession(step: Step, habit: Habit) async throws {
    let fixture = try await fixture(habit)
    let crashed = try await crash(fixture, at: step)
    // A token that was not rotated is not stored again.
    if habit == .rotates { #expect(crashed) }
    try await fixture.daemon.start()
    let end = try await end(fixture)
    print("killed at \(step) of a provider that \(habit): \(end)")
    switch (step, habit) {
    case (.checked, _), (.intended, _), (.stored, _), (.cleared, _), (.published, _), (_, .keepsTokens):
      #expect(end == .kept)
    // It is lost if, and only if, the provider had got it.
    case (.sent, .rotates): #expect(try await end == (fixture.sawReuse() ? .lost(reason: "lost_rotation") : .kept))
    case (.answered, .rotates): #expect(end == .lost(reason: "lost_rotation"))
    }
    try await expectInOrder(fixture, end)
  }

  @Test(arguments: [true, false], Habit.allCases)
  func aKillWhileTheProviderHoldsTheRequestIsJudgedByWhatItDid(processes: Bool, habit: Habit) async throws {
    let fixture = try await fixture(habit)
    try await fixture.daemon.start()
    let wire = try await hold(fixture, status: processes ? nil : 503)
    await fixture.daemon.kill()
    #expect(try await wire.line() == nil)
    try await fixture.provider.release("/token")
    try await fixture.daemon.start()
    let end = try await end(fixture)
    #expect(end == (processes && habit == .rotates ? .lost(reason: "lost_rotation") : .kept))
    try await expectInOrder(fixture, end)
  }

  @Test func aKillWhileTheNewestTokenIsOnlyInMemoryIsALostRotation() async throws {
    let fixture = try await fixture(.rotates)
    try await fixture.daemon.start()
    let wire = try await hold(fixture)
    try await fixture.session.lock()
    try await fixture.provider.release("/token")
    #expect(try await wire.line()?.contains(#""ok":true"#) == true)
    #expect(try await fixture.status(of: "work").state == .unsaved)
    await fixture.daemon.kill()
    try await fixture.session.unlock()
    try await fixture.daemon.start()
    let end = try await end(fixture)
    #expect(end == .lost(reason: "lost_rotation"))
    try await expectInOrder(fixture, end)
  }

  @Test func aLostRotationStaysOneThroughMoreKillsAndStarts() async throws {
    let fixture = try await fixture(.rotates)
    // The second time the answer is that the token was spent.
    for _ in 0..<2 { #expect(try await crash(fixture, at: .answered)) }
    for _ in 0..<3 {
      await fixture.daemon.kill()
      try await fixture.daemon.start()
      #expect(try await end(fixture) == .lost(reason: "lost_rotation"))
    }
    try await expectInOrder(fixture, .lost(reason: "lost_rotation"))
  }

  @Test(arguments: [Step.checked, .intended, .stored, .cleared])
  func killsAtEveryAttemptCostNoSession(step: Step) async throws {
    let fixture = try await fixture(.rotates)
    for _ in 0..<3 { #expect(try await crash(fixture, at: step)) }
    try await fixture.daemon.start()
    let end = try await end(fixture)
    #expect(end == .kept)
    try await expectInOrder(fixture, end)
  }

  /// The note of an interrupted refresh does not outlive the next that ends well.
  @Test(arguments: [Step.intended, .stored]) func aRevocationAfterACrashThatCostNothingIsARevocation(step: Step)
    async throws
  {
    let fixture = try await fixture(.rotates)
    #expect(try await crash(fixture, at: step))
    try await fixture.daemon.start()
    #expect(try await end(fixture) == .kept)
    _ = try await fixture.provider.postForm(
      "/revoke", ["token": fixture.liveRefreshToken(), "client_id": "keyrack-test"])
    try await fixture.daemon.restart()
    #expect(try await end(fixture) == .lost(reason: "revoked"))
  }

  // MARK: Crashing

  /// A session in the keyring, and no daemon.
  private func fixture(_ habit: Habit) async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture()
    try await fixture.provider.set(.init(rotation: habit == .rotates))
    try await fixture.signIn()
    try await fixture.daemon.stop()
    return fixture
  }

  /// Starts a daemon that has to refresh, and ends with it killed. Whether it got to that step.
  private func crash(_ fixture: KeyrackFixture, at step: Step) async throws -> Bool {
    try await fixture.daemon.start(with: ["KEYRACK_CRASH_AT": step.rawValue])
    do {
      _ = try await fixture.daemon.call(TokenOperation(account: "work"))
    } catch is Wire.Failure {
      #expect(try await fixture.daemon.end() == 128 + SIGKILL)
      return true
    }
    // The reply may have got away before the daemon was gone.
    if step == .published, try await fixture.daemon.end() == 128 + SIGKILL { return true }
    await fixture.daemon.kill()
    return false
  }

  /// Begins a refresh whose answer the provider holds back; with a status it does nothing else.
  private func hold(_ fixture: KeyrackFixture, status: Int? = nil) async throws -> Wire {
    try await fixture.provider.script("/token", status: status, hold: true)
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(TokenOperation(account: "work").line())
    try await fixture.provider.waitForRequests("/token", count: 2)
    return wire
  }

  // MARK: And after

  enum End: Equatable {
    case kept
    case lost(reason: String?)
  }

  /// What becomes of the session, once that is certain.
  private func end(_ fixture: KeyrackFixture) async throws -> End {
    var end: End?
    try await eventually("a token or its refusal", within: .seconds(15)) {
      do {
        let token = try await fixture.token()
        #expect(try await fixture.provider.accepts(accessToken: token))
        end = .kept
      } catch let error as ReplyError where error.code == .loginRequired {
        end = .lost(reason: error.reason)
      } catch let error as ReplyError where error.code == .temporarilyUnavailable {}
      return end != nil
    }
    return try #require(end)
  }

  /// A session that was kept is in the keyring; one that was lost is there, too, until somebody signs in again.
  private func expectInOrder(_ fixture: KeyrackFixture, _ end: End) async throws {
    let item = try await fixture.onlyItem()
    switch end {
    case .kept:
      #expect(try await item.secret.contains(fixture.liveRefreshToken()))
      #expect(try await fixture.sawReuse() == false)
      #expect(try await fixture.status(of: "work").state == .active)
    case .lost(let reason):
      #expect(try await fixture.status(of: "work").state == .loginRequired)
      #expect(try await fixture.status(of: "work").reason == reason)
      try await fixture.signIn()
      #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
      #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    }
  }
}

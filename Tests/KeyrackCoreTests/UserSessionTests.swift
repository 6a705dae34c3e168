import KeyrackCore
import KeyrackProtocol
import Testing

@Suite struct UserSessionTests {
  let start = ContinuousClock.now
  let need = TokenRequirement(minimumValidity: .seconds(60))

  func record(refreshToken: String? = "rt-1", generation: Int = 0) -> SessionRecord {
    SessionRecord(
      session: SessionID(), account: "work", provider: "corp", generation: generation, audience: .corp,
      refreshToken: refreshToken.map { Secret($0) }, obtainedAt: 1000)
  }

  func kept(_ refreshToken: String? = "rt-1") -> UserSession {
    UserSession(kept: record(refreshToken: refreshToken), now: start, wall: 1000, boot: nil)
  }

  func grant(_ access: String, refresh: String? = nil, seconds: Int? = 3600) -> TokenOutcome {
    .success(
      Grant(
        accessToken: Secret(access), lifetime: seconds.map { .seconds($0) },
        refreshToken: refresh.map { Secret($0) }))
  }

  @Test func aKeptSessionRefreshesBeforeItServes() throws {
    var session = kept()
    #expect(session.tokenRequested(need, now: start) == .refresh(attempt: 1))
    #expect(session.tokenRequested(need, now: start) == .wait(isForTarget: true))
    let action = session.refreshAnswered(
      grant("at-1", refresh: "rt-2"), attempt: 1, sentAt: start, now: start, wall: 1001)
    guard case .store(let stored) = action else { return #expect(Bool(false), "\(action)") }
    #expect(stored.refreshToken == Secret("rt-2"))
    #expect(stored.generation == 1)
    // Nobody sees the new token before it is stored.
    #expect(session.tokenRequested(need, now: start) == .wait(isForTarget: true))
    #expect(session.stored(1, error: nil, wall: 1001) == .settle)
    guard case .serve(let token, minimumValidityMet: true) = session.tokenRequested(need, now: start) else {
      return #expect(Bool(false))
    }
    #expect(token.secret == Secret("at-1"))
    #expect(session.state(at: start) == .active)
  }

  @Test func aLateRefreshAnswerIsDropped() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    session.refreshEnded(1)
    #expect(session.tokenRequested(need, now: start) == .refresh(attempt: 2))
    let late = session.refreshAnswered(grant("at-1"), attempt: 1, sentAt: start, now: start, wall: 1000)
    #expect(late == .ignore)
    #expect(session.accessToken == nil)
  }

  @Test func anAnswerWithoutARefreshTokenKeepsTheOldOne() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    #expect(session.refreshAnswered(grant("at"), attempt: 1, sentAt: start, now: start, wall: 1000) == .settle)
    #expect(session.record.refreshToken == Secret("rt-1"))
    #expect(session.record.generation == 0)
  }

  @Test func aFailedStoreServesTheTokenAndSaysUnsaved() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(grant("at", refresh: "rt-2"), attempt: 1, sentAt: start, now: start, wall: 1000)
    #expect(session.stored(1, error: .locked, wall: 1000) == .settle)
    #expect(session.state(at: start) == .unsaved)
    guard case .serve = session.tokenRequested(need, now: start) else { return #expect(Bool(false)) }
    session.saved(session.record, wall: 1000)
    #expect(session.state(at: start) == .active)
  }

  @Test(arguments: [
    (TokenOutcome.rejected(.grant(.revoked)), AccountState.loginRequired, ErrorCode.loginRequired, nil as Int?),
    (.rejected(.client), .degraded, .configError, nil),
    (.rejected(.answer), .degraded, .providerError, nil),
    (.throttled("slow", retryAfter: .seconds(30)), .throttled, .throttled, 30),
    (.notSent("down"), .degraded, .temporarilyUnavailable, 1),
    (.unknown("lost"), .unknownOutcome, .temporarilyUnavailable, 1),
  ])
  func aFailureIsSharedAndWaitedFor(
    _ outcome: TokenOutcome, _ state: AccountState, _ code: ErrorCode, _ retryAfter: Int?
  ) {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    if session.refreshAnswered(outcome, attempt: 1, sentAt: start, now: start, wall: 1000) == .again(after: .zero) {
      #expect(session.recordRead(session.record, attempt: 1, wall: 1000) == .settle)
    }
    #expect(session.flight == nil)
    #expect(session.state(at: start) == state)
    for action in [session.tokenRequested(need, now: start), session.tokenAwaited(need, now: start)] {
      guard case .refuse(let error) = action else { return #expect(Bool(false), "\(action)") }
      #expect(error.code == code)
      #expect(error.retryAfter == retryAfter)
    }
    // The refresh token is never thrown away.
    #expect(session.record.refreshToken == Secret("rt-1"))
  }

  @Test func aFailureIsTriedAgainAfterItsTime() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(.unknown("lost"), attempt: 1, sentAt: start, now: start, wall: 1000)
    #expect(session.tokenRequested(need, now: start + .seconds(1)) == .refresh(attempt: 2))
  }

  @Test func aTokenThatIsStillGoodIsServedThroughAnOutage() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(grant("at", seconds: 600), attempt: 1, sentAt: start, now: start, wall: 1000)
    let later = start + .seconds(590)
    #expect(session.tokenRequested(need, now: later) == .refresh(attempt: 2))
    _ = session.refreshAnswered(.notSent("down"), attempt: 2, sentAt: later, now: later, wall: 1590)
    guard case .serve(_, minimumValidityMet: false) = session.tokenAwaited(need, now: later) else {
      return #expect(Bool(false))
    }
    guard case .serve(_, minimumValidityMet: false) = session.tokenRequested(need, now: later) else {
      return #expect(Bool(false))
    }
    #expect(session.tokenRequested(need, now: start + .seconds(601)) == .refresh(attempt: 3))
  }

  @Test func minimumValidityCountsAsAtMostHalfOfTheLifetime() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(grant("at", seconds: 10), attempt: 1, sentAt: start, now: start, wall: 1000)
    guard case .serve(_, minimumValidityMet: true) = session.tokenRequested(need, now: start + .seconds(4)) else {
      return #expect(Bool(false))
    }
    #expect(session.tokenRequested(need, now: start + .seconds(6)) == .refresh(attempt: 2))
  }

  @Test func aRejectedTokenIsRefreshedOnceAndNotServed() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(grant("at-1"), attempt: 1, sentAt: start, now: start, wall: 1000)
    let rejecting = TokenRequirement(minimumValidity: .seconds(60), rejected: Secret("at-1"))
    #expect(session.tokenRequested(rejecting, now: start) == .refresh(attempt: 2))
    _ = session.refreshAnswered(.notSent("down"), attempt: 2, sentAt: start, now: start, wall: 1000)
    guard case .refuse = session.tokenAwaited(rejecting, now: start) else { return #expect(Bool(false)) }
    // Another caller, whom no server refused, still gets it.
    guard case .serve = session.tokenRequested(need, now: start) else { return #expect(Bool(false)) }
    // The provider brings the same token again: it is served, not asked for in a loop.
    #expect(session.tokenRequested(rejecting, now: start + .seconds(3)) == .refresh(attempt: 3))
    _ = session.refreshAnswered(grant("at-1"), attempt: 3, sentAt: start, now: start, wall: 1000)
    guard case .serve = session.tokenRequested(rejecting, now: start) else { return #expect(Bool(false)) }
  }

  @Test func aTokenWithoutLifetimeIsServedToItsWaitersOnly() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(grant("at", seconds: 0), attempt: 1, sentAt: start, now: start, wall: 1000)
    guard case .serve(_, minimumValidityMet: false) = session.tokenAwaited(need, now: start) else {
      return #expect(Bool(false))
    }
    #expect(session.tokenRequested(need, now: start) == .refresh(attempt: 2))
  }

  @Test func aRefreshTokenInABrokenAnswerIsKept() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    let action = session.refreshAnswered(
      .rejected(.answer, "rt-2"), attempt: 1, sentAt: start, now: start, wall: 1000)
    guard case .store(let stored) = action else { return #expect(Bool(false)) }
    #expect(stored.refreshToken == Secret("rt-2"))
    _ = session.stored(1, error: nil, wall: 1000)
    guard case .refuse(let error) = session.tokenAwaited(need, now: start) else { return #expect(Bool(false)) }
    #expect(error.code == .providerError)
    #expect(session.record.refreshToken == Secret("rt-2"))
  }

  @Test func aDenialAfterALostAnswerIsALostRotation() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(.unknown("reset"), attempt: 1, sentAt: start, now: start, wall: 1000)
    let later = start + .seconds(2)
    _ = session.tokenRequested(need, now: later)
    _ = session.refreshAnswered(.rejected(.grant(.revoked)), attempt: 2, sentAt: later, now: later, wall: 1002)
    #expect(session.recordRead(session.record, attempt: 2, wall: 1002) == .settle)
    #expect(session.reason(at: start) == "lost_rotation")
  }

  @Test func anotherProviderSetsTheSessionAsideUntilItIsBack() {
    var session = kept()
    _ = session.tokenRequested(need, now: start)
    _ = session.refreshAnswered(grant("at"), attempt: 1, sentAt: start, now: start, wall: 1000)
    let other = Provider(
      name: "corp", kind: .oauth(.init(clientID: "x", tokenEndpoint: "https://other.example/token")))
    session.configurationChanged(to: other, wall: 1000)
    guard case .refuse(let error) = session.tokenRequested(need, now: start) else { return #expect(Bool(false)) }
    #expect(error.reason == "config")
    session.configurationChanged(to: Bench.corp, wall: 1000)
    guard case .serve = session.tokenRequested(need, now: start) else { return #expect(Bool(false)) }
  }

  @Test func aSessionWithoutRefreshTokenServesItsTokenUntilItEnds() {
    var record = record(refreshToken: nil)
    record.accessToken = Secret("at")
    record.expiresAt = 1100
    var session = UserSession(kept: record, now: start, wall: 1000, boot: nil)
    guard case .serve = session.tokenRequested(need, now: start) else { return #expect(Bool(false)) }
    guard case .refuse(let error) = session.tokenRequested(need, now: start + .seconds(101)) else {
      return #expect(Bool(false))
    }
    #expect(error.reason == "no_refresh_token")
  }
}

extension Audience {
  static let corp = Audience(issuer: "https://sso.example", endpoint: "https://sso.example/token", clientID: "keyrack")
}

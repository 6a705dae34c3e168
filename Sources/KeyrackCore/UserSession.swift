package import KeyrackProtocol

/// What to do about a request for a token.
package enum TokenAction: Sendable, Equatable {
  case serve(AccessToken, minimumValidityMet: Bool)
  /// A refresh is under way. Where it is not for what is asked, ask again from the start when it has ended.
  case wait(isForTarget: Bool)
  /// Begin this refresh, and wait for it.
  case refresh(attempt: Int)
  case refuse(ReplyError)
}

/// One session, from the sign-in that began it to its end.
///
/// A pure value: one method an event, no clock, no IO, no chance. Every refresh has a number, and an answer with another
/// number changes nothing. A session that has ended is not in a state of its own: nobody holds it any more.
package struct UserSession: Sendable {
  package let id: SessionID
  /// Whether it is kept in the keyring.
  package let isRemembered: Bool
  package internal(set) var record: SessionRecord
  /// The one for ``TokenTarget/standard``.
  package internal(set) var accessToken: AccessToken?
  /// Whether the keyring has the newest refresh token.
  package internal(set) var isSaved: Bool
  /// What the keyring is known to have of it.
  package var kept: SessionRecord?
  /// A refresh token was sent, and nobody knows whether the provider has taken it (REFRESH R6). Ends with a definite
  /// answer.
  package internal(set) var isFateUnknown = false
  package internal(set) var trouble: SessionTrouble?
  /// When the present state began, but for what time alone has brought about; Unix seconds.
  var since: Int
  package internal(set) var flight: RefreshFlight?
  /// The intent that is on disk.
  package var intent: RefreshIntent?

  var habits: ProviderHabits
  /// Access tokens for other targets.
  var others: [TokenTarget: AccessToken] = [:]
  /// The newest one, checked.
  package internal(set) var idToken: IDToken?
  /// Why the newest one could not be checked, and until when it makes no sense to ask for another.
  var uncheckedIDToken: (error: ReplyError, until: ContinuousClock.Instant)?
  /// An access token that came without one.
  var withoutIDToken: Secret?
  /// Targets that the provider refuses.
  var refusals: [TokenTarget: TargetRefusal] = [:]
  var attempts = 0
  var schedule = RefreshSchedule()
  /// What the newest refresh brought a token for: those who waited for it get it even if it is stale already.
  var fresh: TokenTarget?
  /// A rejected token that a refresh has brought again: refreshing once more would not help.
  var futile: Secret?
  /// The configuration no longer names the provider that this session is of.
  var isSetAside = false
  private var lastUsed: ContinuousClock.Instant?
  /// When the keyring was last asked whether another daemon has brought the session back, and whether it still is.
  var lookedAt: ContinuousClock.Instant?
  var isLooking = false

  /// A session that a sign-in has just begun. It answers `.wait` until ``stored(_:error:wall:)``, or at once where it is
  /// not remembered.
  package init(
    signedIn record: SessionRecord, token: AccessToken, remember: Bool, habits: ProviderHabits = ProviderHabits(),
    wall: Int
  ) {
    id = record.session
    self.record = record
    self.habits = habits
    isRemembered = remember
    isSaved = false
    since = wall
    if remember {
      attempts = 1
      flight = RefreshFlight(attempt: 1, target: .standard)
      flight?.unpublished = .init(record: record, accessToken: token)
    } else {
      accessToken = token
    }
  }

  /// A session that the keyring has kept. `intent` is what a refresh has left behind that was interrupted.
  package init(
    kept record: SessionRecord, intent: RefreshIntent? = nil, now: ContinuousClock.Instant, wall: Int, boot: BootTime?
  ) {
    id = record.session
    self.record = record
    habits = ProviderHabits()
    isRemembered = true
    isSaved = true
    kept = record
    since = wall
    accessToken = AccessToken(kept: record, now: now, wall: wall, boot: boot)
    guard let intent, intent.session == record.session, intent.generation == record.generation else { return }
    self.intent = intent
    isFateUnknown = true
    since = intent.at
    trouble = SessionTrouble(
      .degraded, .temporarilyUnavailable(record.account, "a refresh was interrupted"), at: intent.at, retryAt: now)
  }

  // MARK: Tokens

  /// Somebody asks for a token. Where the answer is `.refresh`, that refresh has begun.
  package mutating func tokenRequested(_ need: TokenRequirement, now: ContinuousClock.Instant) -> TokenAction {
    lastUsed = now
    if isSetAside { return .refuse(.loginRequired(record.account, .config)) }
    if let token = tokenInMemory(need, now: now) { return .serve(token, minimumValidityMet: true) }
    if let flight { return .wait(isForTarget: flight.target == need.target) }
    if let refusal = refusal(need, now: now) { return fallback(need, now: now) ?? .refuse(refusal) }
    return .refresh(attempt: beginFlight(for: need.target))
  }

  /// A token in memory that is all that the caller needs. That it was used counts.
  package mutating func tokenAtOnce(_ need: TokenRequirement, now: ContinuousClock.Instant) -> AccessToken? {
    guard let token = tokenInMemory(need, now: now) else { return nil }
    lastUsed = now
    return token
  }

  func tokenInMemory(_ need: TokenRequirement, now: ContinuousClock.Instant) -> AccessToken? {
    guard !isSetAside, let token = token(for: need.target), token.isValid(at: now, for: need.minimumValidity) else {
      return nil
    }
    if let rejected = need.rejected, rejected == token.secret, rejected != futile { return nil }
    // By now it may be dead (REFRESH R14).
    if habits.rotationKillsAccessToken, flight?.isSent == true { return nil }
    return token
  }

  /// Somebody who has waited for a refresh for the same target asks again. Never begins another.
  package func tokenAwaited(_ need: TokenRequirement, now: ContinuousClock.Instant) -> TokenAction {
    if isSetAside { return .refuse(.loginRequired(record.account, .config)) }
    if let token = tokenInMemory(need, now: now) { return .serve(token, minimumValidityMet: true) }
    if let good = fallback(need, now: now) { return good }
    if fresh == need.target, let token = token(for: need.target), token.secret != need.rejected {
      return .serve(token, minimumValidityMet: false)
    }
    let unusable = ReplyError.temporarilyUnavailable(record.account, "the refresh brought no usable token")
    return .refuse(trouble?.error(at: now) ?? refusal(need, now: now) ?? unusable)
  }

  /// The access token for a target, valid or not.
  package func token(for target: TokenTarget) -> AccessToken? {
    target == .standard ? accessToken : others[target]
  }

  /// A token that is still good, though not for as long as was asked.
  func fallback(_ need: TokenRequirement, now: ContinuousClock.Instant) -> TokenAction? {
    guard let token = token(for: need.target), token.isValid(at: now), token.secret != need.rejected else { return nil }
    return .serve(token, minimumValidityMet: false)
  }

  /// Why no refresh can begin now.
  private func refusal(_ need: TokenRequirement, now: ContinuousClock.Instant) -> ReplyError? {
    if let trouble, trouble.blocks(at: now) { return trouble.error(at: now) }
    if mustHold, let accessToken, accessToken.isValid(at: now), accessToken.secret != need.rejected {
      // Sending the refresh token again might end the session, and with it a token that is still good.
      let error = ReplyError.temporarilyUnavailable(record.account, "a refresh was interrupted")
      return accessToken.remaining(at: now).map { error.retry(after: $0) } ?? error
    }
    if let refusal = refusals[need.target], refusal.holds(at: now) { return refusal.error }
    if record.refreshToken == nil { return .loginRequired(record.account, .noRefreshToken) }
    return nil
  }

  /// Whether sending the refresh token again could cost what is left of the access token.
  private var mustHold: Bool { isFateUnknown && !habits.isReplayHarmless && habits.rotation != .none }

  mutating func beginFlight(for target: TokenTarget) -> Int {
    attempts += 1
    flight = RefreshFlight(attempt: attempts, target: target)
    return attempts
  }

  // MARK: Refreshing ahead

  /// A session that nobody has asked for is refreshed no more, after that many lifetimes of its token.
  private static let lifetimesInUse = 3
  /// The same for a session that has no token.
  private static let timeInUse = Duration.seconds(600)

  /// When to refresh although nobody waits for it; nil where only a caller brings that about. What counts is that the
  /// session was in use when it was due: a machine that was asleep since then changes nothing.
  package var refreshDue: ContinuousClock.Instant? {
    guard flight == nil, !isSetAside, record.refreshToken != nil, let lastUsed, let due = nextAttempt else {
      return nil
    }
    let inUse = accessToken?.lifetime.map { $0 * Self.lifetimesInUse } ?? Self.timeInUse
    return lastUsed + inUse >= due ? due : nil
  }

  private var nextAttempt: ContinuousClock.Instant? {
    if case .loginRequired = trouble?.kind { return nil }
    guard let due = heldUntil ?? accessToken?.refreshAt else { return nil }
    guard habits.minimumRefreshInterval > .zero, let accessToken else { return due }
    return max(due, accessToken.sentAt + habits.minimumRefreshInterval)
  }

  /// Before that no refresh is sent that nobody waits for; nil where nothing speaks against one, or waiting does not help.
  package var heldUntil: ContinuousClock.Instant? {
    // What is left of the access token is not put at risk.
    let risk = mustHold ? accessToken?.deadline : nil
    guard let trouble else { return risk }
    if case .loginRequired = trouble.kind { return nil }
    return [trouble.retryAt, risk].compactMap { $0 }.max()
  }

  /// Begins the refresh that is due, if it still is. Returns its number.
  package mutating func refreshCameDue(now: ContinuousClock.Instant) -> Int? {
    guard let due = refreshDue, due <= now else { return nil }
    return beginFlight(for: .standard)
  }

  // MARK: Status

  /// Why somebody has to sign in, and the error that says so; nil where the provider takes the refresh token.
  package var denial: (reason: LoginReason, error: ReplyError)? {
    guard let trouble, case .loginRequired(let reason) = trouble.kind else { return nil }
    return (reason, trouble.error)
  }

  package func state(at now: ContinuousClock.Instant) -> AccountState {
    if hasRunOut(at: now) { return .loginRequired }
    let settled = settledState
    return settled == .active && flight != nil ? .refreshing : settled
  }

  /// Without regard to a refresh under way.
  var settledState: AccountState {
    if isSetAside { return .loginRequired }
    switch trouble?.kind {
    case .loginRequired: return .loginRequired
    case .keyring: return .keyringLocked
    case .throttled where !isFateUnknown: return .throttled
    case .degraded where !isFateUnknown: return .degraded
    case .throttled, .degraded, nil: break
    }
    if isFateUnknown { return .unknownOutcome }
    if record.refreshToken == nil && accessToken == nil && flight == nil { return .loginRequired }
    return isRemembered && !isSaved && flight?.unpublished == nil ? .unsaved : .active
  }

  package func reason(at now: ContinuousClock.Instant) -> String? {
    reason ?? (hasRunOut(at: now) ? LoginReason.noRefreshToken.rawValue : nil)
  }

  /// When the present state began, Unix seconds.
  package func since(at now: ContinuousClock.Instant, wall: Int) -> Int {
    guard reason == nil, hasRunOut(at: now), let end = accessToken?.deadline else { return since }
    return wall - Int((now - end).components.seconds)
  }

  /// The access token has ended, and there is nothing to get another one with.
  private func hasRunOut(at now: ContinuousClock.Instant) -> Bool {
    record.refreshToken == nil && flight == nil && accessToken?.isValid(at: now) != true
  }

  private var reason: String? {
    if isSetAside { return LoginReason.config.rawValue }
    if case .loginRequired(let reason) = trouble?.kind { return reason.rawValue }
    return settledState == .loginRequired ? LoginReason.noRefreshToken.rawValue : nil
  }

  /// Makes a change and notes when the state became another.
  mutating func change(at wall: Int, _ change: (inout UserSession) -> Void) {
    let before = (settledState, reason)
    change(&self)
    if (settledState, reason) != before { since = wall }
  }
}

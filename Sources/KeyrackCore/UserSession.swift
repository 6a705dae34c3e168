package import KeyrackProtocol

/// What to do about a request for a token.
package enum TokenAction: Sendable, Equatable {
  case serve(AccessToken, minimumValidityMet: Bool)
  /// A refresh is under way; ask again when it has ended.
  case wait
  /// Begin this refresh, and wait for it.
  case refresh(attempt: Int)
  case refuse(ReplyError)
}

/// What to do once a provider has answered.
package enum RefreshAction: Sendable, Equatable {
  /// Write this, then say how that went; nobody sees the new token before.
  case store(SessionRecord)
  /// The refresh has ended; whoever waited asks again.
  case settle
  /// The answer is of another attempt.
  case ignore
}

/// One session, from the sign-in that began it to its end.
///
/// A pure value: one method an event, no clock, no IO. Every refresh has a number, and an answer with another number
/// changes nothing. A session that has ended is not in a state of its own: nobody holds it any more.
package struct UserSession: Sendable {
  package let id: SessionID
  /// Whether it is kept in the keyring.
  package let isRemembered: Bool
  package private(set) var record: SessionRecord
  package private(set) var accessToken: AccessToken?
  /// Whether the keyring has the newest refresh token.
  package private(set) var isSaved: Bool
  package private(set) var trouble: SessionTrouble?
  /// When the present state began, Unix seconds.
  package private(set) var since: Int
  /// The number of the refresh under way.
  package private(set) var flight: Int?

  /// What a provider granted and the keyring does not have yet.
  private var unpublished: Unpublished?
  private var attempts = 0
  private var schedule = RefreshSchedule()
  /// The access token that the newest refresh brought: those who waited for it get it even if it is stale already.
  private var isFresh = false
  /// A rejected token that a refresh has brought again: refreshing once more would not help.
  private var futile: Secret?
  /// The configuration no longer names the provider that this session is of.
  private var isSetAside = false

  private struct Unpublished: Sendable {
    var record: SessionRecord
    var accessToken: AccessToken?
    var trouble: SessionTrouble?
  }

  /// A session that a sign-in has just begun. It answers `.wait` until ``stored(_:error:wall:)``, or at once where it is
  /// not remembered.
  package init(signedIn record: SessionRecord, token: AccessToken, remember: Bool, wall: Int) {
    id = record.session
    self.record = record
    isRemembered = remember
    isSaved = false
    since = wall
    if remember {
      attempts = 1
      flight = 1
      unpublished = Unpublished(record: record, accessToken: token)
    } else {
      accessToken = token
    }
  }

  /// A session that the keyring has kept.
  package init(kept record: SessionRecord, now: ContinuousClock.Instant, wall: Int) {
    id = record.session
    self.record = record
    isRemembered = true
    isSaved = true
    since = wall
    accessToken = AccessToken(kept: record, now: now, wall: wall)
  }

  // MARK: Tokens

  /// Somebody asks for a token. Where the answer is `.refresh`, that refresh has begun.
  package mutating func tokenRequested(_ need: TokenRequirement, now: ContinuousClock.Instant) -> TokenAction {
    if isSetAside { return .refuse(.loginRequired(record.account, .config)) }
    if let token = tokenInMemory(need, now: now) { return .serve(token, minimumValidityMet: true) }
    if flight != nil { return .wait }
    if let refusal = refusal(now: now) { return fallback(need, now: now) ?? .refuse(refusal) }
    attempts += 1
    flight = attempts
    return .refresh(attempt: attempts)
  }

  /// A token in memory that is all that the caller needs.
  package func tokenInMemory(_ need: TokenRequirement, now: ContinuousClock.Instant) -> AccessToken? {
    guard !isSetAside, let accessToken, accessToken.isValid(at: now, for: need.minimumValidity) else { return nil }
    if let rejected = need.rejected, rejected == accessToken.secret, rejected != futile { return nil }
    return accessToken
  }

  /// Somebody who has waited for a refresh asks again. Never begins another.
  package func tokenAwaited(_ need: TokenRequirement, now: ContinuousClock.Instant) -> TokenAction {
    if isSetAside { return .refuse(.loginRequired(record.account, .config)) }
    if let token = tokenInMemory(need, now: now) { return .serve(token, minimumValidityMet: true) }
    if let good = fallback(need, now: now) { return good }
    if isFresh, let accessToken, accessToken.secret != need.rejected {
      return .serve(accessToken, minimumValidityMet: false)
    }
    let unusable = ReplyError.temporarilyUnavailable(record.account, "the refresh brought no usable token")
    return .refuse(trouble?.error(at: now) ?? refusal(now: now) ?? unusable)
  }

  /// A token that is still good, though not for as long as was asked.
  private func fallback(_ need: TokenRequirement, now: ContinuousClock.Instant) -> TokenAction? {
    guard let accessToken, accessToken.isValid(at: now), accessToken.secret != need.rejected else { return nil }
    return .serve(accessToken, minimumValidityMet: false)
  }

  /// Why no refresh can begin now.
  private func refusal(now: ContinuousClock.Instant) -> ReplyError? {
    if let trouble, trouble.blocks(at: now) { return trouble.error(at: now) }
    if record.refreshToken == nil { return .loginRequired(record.account, .noRefreshToken) }
    return nil
  }

  // MARK: One refresh

  /// What the keyring has was read before the refresh token is spent. A newer one of the same session is adopted.
  /// Returns the token to spend, nil where there is none or the attempt is not the one under way.
  package mutating func recordRead(_ stored: SessionRecord?, attempt: Int) -> Secret? {
    guard attempt == flight else { return nil }
    if let stored, stored.session == id, stored.generation > record.generation { record = stored }
    return record.refreshToken
  }

  /// The keyring cannot be read or written, so no refresh token was spent.
  package mutating func keyringFailed(_ error: StoreError, attempt: Int, wall: Int) -> RefreshAction {
    guard attempt == flight else { return .ignore }
    flight = nil
    isFresh = false
    setTrouble(SessionTrouble(.keyring, .keyring(record.account, error), at: wall, retryAt: nil), wall: wall)
    return .settle
  }

  /// The provider has answered, or has not.
  package mutating func refreshAnswered(
    _ outcome: TokenOutcome, attempt: Int, sentAt: ContinuousClock.Instant, now: ContinuousClock.Instant, wall: Int
  ) -> RefreshAction {
    guard attempt == flight, unpublished == nil else { return .ignore }
    switch outcome {
    case .success(let grant):
      return succeeded(grant, sentAt: sentAt, wall: wall)
    case .rejected(let rejection) where rejection.refreshToken != nil:
      var next = record
      next.refreshToken = rejection.refreshToken
      next.generation += 1
      let trouble = trouble(for: outcome, now: now, wall: wall)
      return hold(Unpublished(record: next, trouble: trouble), wall: wall)
    case .rejected, .throttled, .notSent, .unknown:
      flight = nil
      isFresh = false
      setTrouble(trouble(for: outcome, now: now, wall: wall), wall: wall)
      return .settle
    }
  }

  /// How the `.store` of that attempt ended. A failed store does not withhold the token: the old refresh token is dead.
  package mutating func stored(_ attempt: Int, error: StoreError?, wall: Int) -> RefreshAction {
    guard attempt == flight, let unpublished else { return .ignore }
    isSaved = error == nil
    publish(unpublished, wall: wall)
    return .settle
  }

  /// The work of that attempt is over. Where it was given up half way, the session is as before it.
  package mutating func refreshEnded(_ attempt: Int) {
    guard attempt == flight else { return }
    flight = nil
    unpublished = nil
  }

  /// The newest record has reached the keyring, by a later attempt to save it.
  package mutating func saved(_ saved: SessionRecord) {
    if saved == record { isSaved = true }
  }

  private mutating func succeeded(_ grant: Grant, sentAt: ContinuousClock.Instant, wall: Int) -> RefreshAction {
    var next = record
    if let token = grant.refreshToken, token != record.refreshToken {
      next.refreshToken = token
      next.generation += 1
    }
    next.scope = grant.scope ?? record.scope
    next.subject = grant.subject ?? record.subject
    if let lifetime = grant.refreshLifetime { next.refreshExpiresAt = wall + Int(lifetime.components.seconds) }
    let isWorthStoring = next != record
    next.refreshedAt = wall
    let token = AccessToken(grant, scope: next.scope, sentAt: sentAt, isRefreshable: next.refreshToken != nil)
    let granted = Unpublished(record: next, accessToken: token)
    if isWorthStoring || !isSaved { return hold(granted, wall: wall) }
    publish(granted, wall: wall)
    return .settle
  }

  private mutating func hold(_ granted: Unpublished, wall: Int) -> RefreshAction {
    guard isRemembered else {
      publish(granted, wall: wall)
      return .settle
    }
    unpublished = granted
    return .store(granted.record)
  }

  private mutating func publish(_ granted: Unpublished, wall: Int) {
    flight = nil
    unpublished = nil
    record = granted.record
    isFresh = granted.accessToken != nil
    if let token = granted.accessToken {
      futile = token.secret == accessToken?.secret ? token.secret : nil
      accessToken = token
      schedule.succeeded()
    }
    setTrouble(granted.trouble, wall: wall)
  }

  // MARK: Trouble

  private mutating func setTrouble(_ next: SessionTrouble?, wall: Int) {
    if next?.kind != trouble?.kind { since = wall }
    trouble = next
  }

  private mutating func trouble(
    for outcome: TokenOutcome, now: ContinuousClock.Instant, wall: Int
  ) -> SessionTrouble? {
    let account = record.account
    func after(_ wait: Duration, _ kind: SessionTrouble.Kind, _ error: ReplyError) -> SessionTrouble {
      SessionTrouble(kind, error, at: wall, retryAt: now + wait)
    }
    switch outcome {
    case .success: return nil
    case .rejected(let rejection):
      switch rejection.cause {
      case .grant(let given):
        let reason: LoginReason = trouble?.kind == .unknownOutcome ? .lostRotation : given
        return SessionTrouble(
          .loginRequired(reason), .loginRequired(account, reason, detail: rejection.message), at: wall, retryAt: nil)
      case .client: return after(.seconds(3600), .degraded, .clientRefused(account, rejection.message))
      case .target, .conflict, .request, .answer, .unexplained:
        return after(schedule.failed(), .degraded, .providerError(account, rejection.message))
      }
    case .throttled(let message, let retryAfter):
      return after(schedule.failed(retryAfter: retryAfter), .throttled, .throttled(account, message))
    case .notSent(let message):
      // Nothing has left: a caller who asks may try again soon, whatever the backoff.
      let wait = min(schedule.failed(), .seconds(2))
      return after(wait, .degraded, .temporarilyUnavailable(account, message))
    case .unknown(let message):
      return after(schedule.failed(), .unknownOutcome, .temporarilyUnavailable(account, message))
    }
  }

  /// Whether the configuration still names the provider that this session is of.
  package mutating func configurationChanged(audience: Audience, wall: Int) {
    let isOther = audience != record.audience
    if isOther != isSetAside { since = wall }
    isSetAside = isOther
    // A client that was refused may be in order now.
    if trouble?.error.code == .configError { setTrouble(nil, wall: wall) }
  }

  /// The keyring answers again.
  package mutating func keyringRecovered(wall: Int) {
    if trouble?.kind == .keyring { setTrouble(nil, wall: wall) }
  }

  // MARK: Status

  package var state: AccountState {
    if isSetAside { return .loginRequired }
    if let trouble { return trouble.kind.state }
    if record.refreshToken == nil && accessToken == nil && flight == nil { return .loginRequired }
    if isRemembered && !isSaved && unpublished == nil { return .unsaved }
    return flight == nil ? .active : .refreshing
  }

  package var reason: String? {
    if isSetAside { return LoginReason.config.rawValue }
    if case .loginRequired(let reason) = trouble?.kind { return reason.rawValue }
    return state == .loginRequired ? LoginReason.noRefreshToken.rawValue : nil
  }
}

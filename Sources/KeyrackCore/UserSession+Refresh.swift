import KeyrackProtocol

/// What to do once a provider has answered.
package enum RefreshAction: Sendable, Equatable {
  /// Write this, then say how that went; nobody sees the new token before.
  case store(SessionRecord)
  /// Read the keyring and ask the provider once more.
  case again(after: Duration)
  /// The refresh has ended; whoever waited asks again.
  case settle
  /// The answer is of another attempt.
  case ignore
}

extension UserSession {
  /// How long to leave a request alone that the provider has refused for good.
  private static let refusedRequest = Duration.seconds(600)
  /// The same of a request for a scope or a resource that was answered with what makes no sense: the next time it may.
  private static let brokenTarget = Duration.seconds(60)
  /// The same where it has refused the client; a changed configuration ends it.
  static let refusedClient = Duration.seconds(3600)
  /// Scopes and resources that are remembered; a client could ask for any number.
  static let maximumTargets = 64

  // MARK: The provider

  /// The refresh is not sent, for what was learned elsewhere of the provider.
  package mutating func refreshPostponed(_ trouble: SessionTrouble, attempt: Int, wall: Int) {
    guard attempt == flight?.attempt else { return }
    _ = end(with: trouble, wall: wall)
  }

  /// The refresh token is about to leave.
  package mutating func refreshSent(attempt: Int, now: ContinuousClock.Instant) {
    guard attempt == flight?.attempt else { return }
    flight?.isSent = true
    if flight?.firstSentAt == nil { flight?.firstSentAt = now }
  }

  /// The provider has answered, or has not. `random` is from 0 to 1.
  package mutating func refreshAnswered(
    _ outcome: TokenOutcome, attempt: Int, sentAt: ContinuousClock.Instant, now: ContinuousClock.Instant, wall: Int,
    random: Double = 0
  ) -> RefreshAction {
    guard attempt == flight?.attempt, flight?.unpublished == nil else { return .ignore }
    let moment = Moment(now: now, wall: wall, random: random)
    switch outcome {
    case .success(let grant): return succeeded(grant, sentAt: sentAt, moment)
    case .rejected(let rejection): return rejected(rejection, moment)
    case .throttled(let message, let retryAfter):
      let wait = schedule.failed(retryAfter: retryAfter, random: random)
      return end(with: moment.trouble(.throttled, .throttled(record.account, message), wait), wall: wall)
    case .notSent(let message):
      let wait = schedule.failed(random: random)
      // Nothing has left: a caller who asks may try again soon, whatever the backoff.
      let error = ReplyError.temporarilyUnavailable(record.account, message)
      return end(with: moment.trouble(.degraded, error, wait, awaited: min(wait, .seconds(2))), wall: wall)
    case .unknown(let message, let retryAfter):
      return fateUnknown(message, retryAfter, moment)
    }
  }

  private mutating func fateUnknown(
    _ message: String, _ retryAfter: Duration?, _ moment: Moment
  ) -> RefreshAction {
    change(at: moment.wall) { $0.isFateUnknown = true }
    if retryAfter == nil, mayReplay(at: moment.now) {
      flight?.hasReplayed = true
      return .again(after: .zero)
    }
    let error = ReplyError.temporarilyUnavailable(record.account, message)
    let wait = schedule.failed(retryAfter: retryAfter, random: moment.random)
    return end(with: moment.trouble(.degraded, error, wait), wall: moment.wall)
  }

  /// Whether the provider is known to take the same refresh token a second time (REFRESH R6).
  private func mayReplay(at now: ContinuousClock.Instant) -> Bool {
    guard let flight, let firstSentAt = flight.firstSentAt, !flight.hasReplayed else { return false }
    if habits.isReplayHarmless { return true }
    return switch habits.rotation {
    case .none: true
    case .rotate: false
    case .grace(let grace): now - firstSentAt < grace
    }
  }

  private mutating func rejected(_ rejection: Rejection, _ moment: Moment) -> RefreshAction {
    let target = rejection.isOfTarget && flight?.target != .standard ? flight?.target : nil
    if let token = rejection.refreshToken, token != record.refreshToken {
      var next = record
      next.replaceRefreshToken(by: token)
      if let target { note(rejection, of: target, until: moment.now + Self.refusedRequest) }
      let trouble = target == nil ? trouble(for: rejection, moment) : nil
      return hold(.init(record: next, trouble: trouble), wall: moment.wall)
    }
    let mayChange = rejection.cause == .unexplained || rejection.cause == .conflict
    if mayChange, flight?.hasRepeated == false {
      flight?.hasRepeated = true
      return .again(after: .seconds(1) * (1 + moment.random))
    }
    if let target { return targetRefused(target, rejection, moment) }
    switch rejection.cause {
    case .grant(let reason): return denied(reason, rejection, moment)
    case .unexplained: return denied(.revoked, rejection, moment)
    case .target where flight?.omitsScope == false && habits.sendsScopeOnRefresh:
      flight?.omitsScope = true
      return .again(after: .zero)
    case .conflict, .target, .client, .request, .answer:
      return end(with: trouble(for: rejection, moment), wall: moment.wall)
    }
  }

  /// The refresh token is dead, unless the keyring has another by now. It is kept: nothing is deleted that a provider
  /// might have said by mistake.
  private mutating func denied(_ given: LoginReason, _ rejection: Rejection, _ moment: Moment) -> RefreshAction {
    let isPastItsEnd = given == .revoked && record.refreshExpiresAt.map { $0 <= moment.wall } ?? false
    let reason: LoginReason =
      given != .revoked ? given : isFateUnknown ? .lostRotation : isPastItsEnd ? .expired : given
    let error = ReplyError.loginRequired(record.account, reason, detail: rejection.message, hint: rejection.hint)
    let denial = SessionTrouble(.loginRequired(reason), error, at: moment.wall, retryAt: nil)
    guard isRemembered else { return end(with: denial, wall: moment.wall) }
    flight?.denial = denial
    return .again(after: .zero)
  }

  /// A program that asks for what the provider does not give spoils nobody else's tokens. Where it could be the refresh
  /// token that is refused (Microsoft says `invalid_grant` of a resource without consent), or the provider that is out of
  /// order, it is sent once more for nothing in particular: that tells.
  private mutating func targetRefused(
    _ target: TokenTarget, _ rejection: Rejection, _ moment: Moment
  ) -> RefreshAction {
    switch rejection.cause {
    case .target: note(rejection, of: target, until: nil)
    case .answer: note(rejection, of: target, until: moment.now + Self.brokenTarget)
    case .grant, .unexplained, .client, .conflict, .request:
      note(rejection, of: target, until: moment.now + Self.refusedRequest)
    }
    guard rejection.mayBeOfAll else { return end(with: nil, wall: moment.wall) }
    flight?.target = .standard
    flight?.hasRepeated = false
    return .again(after: .zero)
  }

  private mutating func note(_ rejection: Rejection, of target: TokenTarget, until: ContinuousClock.Instant?) {
    let account = record.account
    let isOfScope = target.resources.isEmpty && rejection.judgesScope
    let advice = target.resources.isEmpty ? "ask for other scopes" : "ask for another resource"
    if refusals.count >= Self.maximumTargets { refusals = [:] }
    refusals[target] = TargetRefusal(
      error: isOfScope
        ? .loginRequired(account, .scope, detail: rejection.message, hint: rejection.hint)
        : .providerError(account, rejection.message, hint: rejection.hint ?? advice),
      until: until)
  }

  private mutating func trouble(for rejection: Rejection, _ moment: Moment) -> SessionTrouble {
    let account = record.account
    let error = ReplyError.providerError(account, rejection.message, hint: rejection.hint)
    switch rejection.cause {
    case .client:
      let refused = ReplyError.clientRefused(account, rejection.message, hint: rejection.hint)
      return moment.trouble(.degraded, refused, Self.refusedClient)
    case .conflict, .request, .target: return moment.trouble(.degraded, error, Self.refusedRequest)
    case .answer, .unexplained, .grant:
      return moment.trouble(.degraded, error, schedule.failed(random: moment.random))
    }
  }

  // MARK: The end of it

  mutating func end(with trouble: SessionTrouble?, wall: Int) -> RefreshAction {
    change(at: wall) {
      $0.flight = nil
      $0.trouble = trouble
    }
    fresh = nil
    return .settle
  }

  /// The work of that attempt is over. Where it was given up half way, the session is as before it.
  package mutating func refreshEnded(_ attempt: Int) {
    if attempt == flight?.attempt { flight = nil }
  }

  /// Whether a restart has to know that a refresh token was sent.
  package var needsIntent: Bool { isFateUnknown || !isSaved }

  /// What the configuration now says of the provider.
  package mutating func configurationChanged(to provider: Provider, wall: Int) {
    habits = provider.habits
    change(at: wall) {
      $0.isSetAside = !provider.audience.accepts($0.record.audience)
      // A client that was refused may be in order now.
      if $0.trouble?.error.code == .configError { $0.trouble = nil }
    }
  }
}

import KeyrackProtocol

extension UserSession {
  // MARK: A grant

  mutating func succeeded(
    _ grant: Grant, sentAt: ContinuousClock.Instant, _ moment: Moment
  ) -> RefreshAction {
    guard let flight else { return .ignore }
    var next = record
    if let token = grant.refreshToken, token != record.refreshToken {
      next.replaceRefreshToken(by: token)
    }
    // What a token for another target lacks, the session still has (RFC 6749, section 6).
    if flight.target == .standard { next.scope = grant.scope ?? record.scope }
    next.subject = grant.subject ?? record.subject
    if let lifetime = grant.refreshLifetime {
      next.refreshExpiresAt = moment.wall + Int(lifetime.components.seconds)
    }
    let isWorthStoring = next != record
    next.refreshedAt = moment.wall
    let asked = flight.target.scopes.isEmpty ? next.scope : flight.target.scopes.joined(separator: " ")
    let token = AccessToken(
      grant, scope: grant.scope ?? asked, sentAt: sentAt, isRefreshable: next.refreshToken != nil, habits: habits,
      random: moment.random)
    let granted = RefreshFlight.Unpublished(record: next, accessToken: token, idToken: grant.idToken)
    if isWorthStoring || !isSaved || grant.idToken != nil { return hold(granted, wall: moment.wall) }
    publish(granted, wall: moment.wall)
    return .settle
  }

  mutating func hold(_ granted: RefreshFlight.Unpublished, wall: Int) -> RefreshAction {
    guard isRemembered || granted.idToken != nil else {
      publish(granted, wall: wall)
      return .settle
    }
    flight?.unpublished = granted
    return .store(granted.record)
  }

  /// How the `.store` of that attempt ended. A failed store does not withhold the token: the old refresh token is dead.
  package mutating func stored(
    _ attempt: Int, error: StoreError?, idToken: IDToken? = nil, wall: Int
  ) -> RefreshAction {
    guard attempt == flight?.attempt, let unpublished = flight?.unpublished else { return .ignore }
    change(at: wall) {
      $0.isSaved = $0.isRemembered && error == nil
      $0.publish(unpublished, wall: wall)
      if let idToken {
        $0.idToken = idToken
        $0.uncheckedIDToken = nil
      }
    }
    return .settle
  }

  /// The refresh was answered with an id_token that cannot be of this session: its access token goes to nobody.
  package mutating func identityRefused(
    _ attempt: Int, _ refusal: Rejection, error: StoreError?, wall: Int
  ) -> RefreshAction {
    guard attempt == flight?.attempt, var unpublished = flight?.unpublished else { return .ignore }
    unpublished.accessToken = nil
    let denial = ReplyError.untrusted(record.account, refusal)
    unpublished.trouble = SessionTrouble(.loginRequired(.policy), denial, at: wall, retryAt: nil)
    change(at: wall) {
      $0.isSaved = $0.isRemembered && error == nil
      $0.publish(unpublished, wall: wall)
      $0.accessToken = nil
      $0.others = [:]
      $0.idToken = nil
      $0.uncheckedIDToken = nil
    }
    return .settle
  }

  private mutating func publish(_ granted: RefreshFlight.Unpublished, wall: Int) {
    guard let target = flight?.target else { return }
    change(at: wall) {
      if granted.record.refreshToken != $0.record.refreshToken {
        $0.refusals = $0.refusals.filter { $0.value.until != nil }
      }
      $0.record = granted.record
      $0.isFateUnknown = false
      if let token = granted.accessToken { $0.take(token, for: target) }
      $0.trouble = granted.trouble
      $0.flight = nil
    }
    fresh = granted.accessToken == nil ? nil : target
  }

  private mutating func take(_ token: AccessToken, for target: TokenTarget) {
    futile = token.secret == self.token(for: target)?.secret ? token.secret : nil
    if habits.rotationKillsAccessToken {
      others = [:]
      accessToken = nil
    }
    if others.count >= Self.maximumTargets { others = [:] }
    if target == .standard { accessToken = token } else { others[target] = token }
    schedule.succeeded()
  }
}

/// When something happened, and the luck of it.
struct Moment {
  let now: ContinuousClock.Instant
  let wall: Int
  let random: Double

  func trouble(
    _ kind: SessionTrouble.Kind, _ error: ReplyError, _ wait: Duration, awaited: Duration? = nil
  ) -> SessionTrouble {
    SessionTrouble(kind, error, at: wall, retryAt: now + wait, awaitedRetryAt: awaited.map { now + $0 })
  }
}

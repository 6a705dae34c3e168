import KeyrackProtocol

/// How one client fares at one host: what one session has learned there counts for all.
package struct ProviderHealth: Sendable {
  package struct Key: Hashable, Sendable {
    package let host: String
    package let clientID: String?
  }

  /// After that many failures in a row the host is asked by one at a time, and less and less often.
  private static let suspicious = 5

  private let host: String
  private var failures = 0
  private var schedule = RefreshSchedule()
  private var retryAt: ContinuousClock.Instant?
  private var awaitedRetryAt: ContinuousClock.Instant?
  private var throttledUntil: ContinuousClock.Instant?
  private var refusal: (rejection: Rejection, until: ContinuousClock.Instant)?

  package init(host: String) { self.host = host }

  package var isSuspect: Bool { failures >= Self.suspicious }

  /// A provider has answered, or has not. `random` is from 0 to 1.
  package mutating func answered(_ outcome: TokenOutcome, now: ContinuousClock.Instant, random: Double) {
    switch outcome {
    case .success: recovered()
    case .rejected(let rejection):
      recovered()
      if rejection.cause == .client { refusal = (rejection, now + UserSession.refusedClient) }
    case .throttled(_, let retryAfter):
      if let retryAfter { throttledUntil = now + retryAfter }
      failed(now, awaited: nil, random)
    case .notSent: failed(now, awaited: .seconds(2), random)
    case .unknown(_, let retryAfter):
      if let retryAfter { throttledUntil = now + retryAfter }
      failed(now, awaited: nil, random)
    }
  }

  private mutating func recovered() {
    failures = 0
    schedule.succeeded()
    (retryAt, awaitedRetryAt, refusal) = (nil, nil, nil)
  }

  private mutating func failed(_ now: ContinuousClock.Instant, awaited: Duration?, _ random: Double) {
    failures += 1
    guard isSuspect else { return }
    let wait = schedule.failed(random: random)
    retryAt = now + wait
    awaitedRetryAt = now + min(wait, awaited ?? wait)
  }

  /// How long the provider wants to be left alone.
  package func throttle(now: ContinuousClock.Instant) -> Duration? {
    guard let throttledUntil, throttledUntil > now else { return nil }
    return throttledUntil - now
  }

  /// The configuration was read again: the client may be in order now.
  package mutating func configurationChanged() { refusal = nil }

  /// Why nothing is to be sent now for an account, nil where nothing speaks against it.
  package func obstacle(
    _ account: String, isAwaited: Bool, now: ContinuousClock.Instant, wall: Int
  ) -> SessionTrouble? {
    if let refusal, refusal.until > now {
      let error = ReplyError.clientRefused(account, refusal.rejection.message, hint: refusal.rejection.hint)
      return SessionTrouble(.degraded, error, at: wall, retryAt: refusal.until)
    }
    if let throttledUntil, throttledUntil > now {
      let error = ReplyError.throttled(account, "the provider asked to slow down")
      return SessionTrouble(.throttled, error, at: wall, retryAt: throttledUntil)
    }
    guard isSuspect, let retryAt, let awaitedRetryAt, (isAwaited ? awaitedRetryAt : retryAt) > now else { return nil }
    let error = ReplyError.temporarilyUnavailable(account, "\(host) has failed \(failures) times in a row")
    return SessionTrouble(.degraded, error, at: wall, retryAt: retryAt, awaitedRetryAt: awaitedRetryAt)
  }
}

extension Provider {
  package var healthKey: ProviderHealth.Key {
    switch kind {
    case .oauth(let oauth): .init(host: host, clientID: oauth.clientID)
    case .json: .init(host: host, clientID: nil)
    }
  }
}

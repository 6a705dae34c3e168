package import KeyrackProtocol

/// An access token in memory, and until when it is good.
package struct AccessToken: Sendable, Equatable {
  package let secret: Secret
  package let type: String
  /// What was granted with it, space-separated; nil where the provider never said.
  package let scope: String?
  /// Nil: it does not expire.
  package let deadline: ContinuousClock.Instant?
  /// From the request to the deadline.
  package let lifetime: Duration?
  /// Whether the lifetime is a guess, since the provider did not say.
  package let isLifetimeAssumed: Bool

  /// When the request for it was sent.
  package let sentAt: ContinuousClock.Instant
  /// When to refresh it even if nobody asks; nil: not before somebody does.
  package let refreshAt: ContinuousClock.Instant?

  /// - Parameters:
  ///   - sentAt: when the request was sent; the lifetime counts from there (REFRESH R15).
  ///   - random: from 0 to 1, see ``RefreshSchedule/refreshAhead(of:refreshIn:random:)``.
  package init(
    _ grant: Grant, scope: String?, sentAt: ContinuousClock.Instant, isRefreshable: Bool, habits: ProviderHabits,
    random: Double
  ) {
    secret = grant.accessToken
    type = grant.tokenType
    self.scope = scope
    self.sentAt = sentAt
    isLifetimeAssumed = grant.lifetime == nil && isRefreshable
    lifetime = grant.lifetime ?? (isRefreshable ? habits.defaultLifetime : nil)
    deadline = lifetime.map { sentAt + $0 }
    let ahead = lifetime.flatMap {
      RefreshSchedule.refreshAhead(of: $0, refreshIn: grant.refreshIn, random: random)
    }
    refreshAt = isRefreshable ? ahead.map { sentAt + $0 } : nil
  }

  /// One that was kept in the keyring because its session has no refresh token.
  package init?(kept record: SessionRecord, now: ContinuousClock.Instant, wall: Int, boot: BootTime?) {
    guard record.refreshToken == nil, let kept = record.accessToken else { return nil }
    secret = kept
    type = record.tokenType ?? "Bearer"
    scope = record.scope
    isLifetimeAssumed = false
    sentAt = now
    refreshAt = nil
    lifetime = record.expiresAt.map { .seconds($0 - record.obtainedAt) }
    // All are whole seconds, cut off: in truth a second less may be left.
    deadline = Self.secondsLeft(of: record, wall: wall, boot: boot).map { now + .seconds($0 - 1) }
  }

  private static func secondsLeft(of record: SessionRecord, wall: Int, boot: BootTime?) -> Int? {
    if let end = record.expiresAtBoot, let boot, end.boot == boot.boot { return end.seconds - boot.seconds }
    // An `obtainedAt` from the future tells nothing about how much is left.
    return record.expiresAt.map { record.obtainedAt <= wall + 60 ? $0 - wall : 0 }
  }

  /// Nil: for ever.
  package func remaining(at now: ContinuousClock.Instant) -> Duration? { deadline.map { $0 - now } }

  package func isValid(at now: ContinuousClock.Instant) -> Bool {
    guard let deadline else { return true }
    return deadline > now
  }

  /// Whether it is good for that long. That counts as at most half of the lifetime, so that short tokens are not
  /// refreshed at every call.
  package func isValid(at now: ContinuousClock.Instant, for minimum: Duration) -> Bool {
    guard let deadline, let lifetime else { return true }
    let remaining = deadline - now
    return remaining > .zero && remaining >= min(minimum, lifetime / 2)
  }
}

/// What a caller needs of an access token.
package struct TokenRequirement: Sendable, Equatable {
  package let minimumValidity: Duration
  /// The access token that a server refused.
  package let rejected: Secret?
  package let target: TokenTarget

  package init(minimumValidity: Duration, rejected: Secret? = nil, target: TokenTarget = .standard) {
    self.minimumValidity = minimumValidity
    self.rejected = rejected
    self.target = target
  }
}

import KeyrackProtocol

/// What to do before a request for a token is refused because somebody has to sign in.
package enum LookAction: Sendable, Equatable {
  /// Read the record of the account, say so to ``UserSession/looked(_:wall:)``, and wait for that until then.
  case look(until: ContinuousClock.Instant)
  /// It is being read.
  case wait(until: ContinuousClock.Instant)
  /// The session answers for itself.
  case proceed
}

/// A session that needs a sign-in may be brought back by another daemon with the same keyring: one that has refreshed, or
/// that somebody has signed in with (REFRESH R23, R29).
extension UserSession {
  /// From one look to the next.
  private static let lookInterval = Duration.seconds(60)
  /// How long a request waits for a keyring that is slow to answer.
  private static let lookPatience = Duration.seconds(1)

  /// Somebody asks for a token. Where the answer is `.look`, that has begun.
  package mutating func lookRequested(_ need: TokenRequirement, now: ContinuousClock.Instant) -> LookAction {
    guard isRemembered, !isSetAside, state(at: now) == .loginRequired,
      tokenInMemory(need, now: now) == nil, fallback(need, now: now) == nil
    else { return .proceed }
    if let lookedAt, isLooking {
      let end = lookedAt + Self.lookPatience
      return now < end ? .wait(until: end) : .proceed
    }
    if let lookedAt, now < lookedAt + Self.lookInterval { return .proceed }
    lookedAt = now
    isLooking = true
    return .look(until: now + Self.lookPatience)
  }

  /// The record was read, or could not be. True where that has brought the session back.
  package mutating func looked(_ stored: SessionRecord?, wall: Int) -> Bool {
    isLooking = false
    guard flight == nil, case .loginRequired = trouble?.kind, let stored, stored.session == id,
      stored.isNewer(than: record)
    else { return false }
    adopt(stored, wall: wall)
    return true
  }
}

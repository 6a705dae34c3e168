/// Since when a client keeps the daemon waiting.
struct ConnectionClock {
  private var lastActivity = ContinuousClock.now
  private var lineBegan: ContinuousClock.Instant?
  private var outputStalled: ContinuousClock.Instant?

  mutating func touch() { lastActivity = .now }

  mutating func lineEnded() { lineBegan = nil }

  /// Waiting for the rest of a line that has begun. Not so while the daemon itself does not read.
  mutating func lineUnderWay(_ isUnderWay: Bool) {
    lineBegan = isUnderWay ? lineBegan ?? lastActivity : nil
  }

  mutating func outputTaken() { outputStalled = nil }

  mutating func outputBlocked(progress: Bool) {
    if progress || outputStalled == nil { outputStalled = .now }
  }

  func deadline(_ limits: ConnectionLimits, isIdle: Bool) -> ContinuousClock.Instant? {
    let idle = isIdle ? lastActivity + limits.idle : nil
    let stalled = Self.earlier(lineBegan.map { $0 + limits.line }, outputStalled.map { $0 + limits.write })
    return Self.earlier(idle, stalled)
  }

  private static func earlier(
    _ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
  ) -> ContinuousClock.Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}

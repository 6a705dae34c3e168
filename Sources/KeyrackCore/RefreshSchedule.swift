/// When to try again after failures: 1 s, doubled at each, at most 5 minutes, and up to a fifth more so that many sessions
/// do not try at the same moment; a provider that names a time is obeyed.
package struct RefreshSchedule: Sendable, Equatable {
  package static let first = Duration.seconds(1)
  package static let longest = Duration.seconds(300)

  private var failures = 0

  package init() {}

  package mutating func succeeded() { failures = 0 }

  /// How long to wait after one more failure. `random` is from 0 to 1.
  package mutating func failed(retryAfter: Duration? = nil, random: Double = 0) -> Duration {
    failures += 1
    let own = failures > 9 ? Self.longest : min(Self.longest, Self.first * (1 << (failures - 1)))
    return max(min(Self.longest, own * (1 + random / 5)), retryAfter ?? .zero)
  }

  /// When to refresh a token that is in use, counted from its beginning (REFRESH R16a): ahead of its end by a tenth of its
  /// life, at least 30 s, at most 5 minutes, and never more than half of it; a provider that says `refreshIn` knows better.
  /// `random`, from 0 to 1, is drawn once per token. Nil where refreshing ahead makes no sense.
  package static func refreshAhead(of lifetime: Duration, refreshIn: Duration?, random: Double) -> Duration? {
    guard lifetime > .zero else { return nil }
    var window = min(max(min(.seconds(300), lifetime / 10), .seconds(30)), lifetime / 2)
    if let refreshIn, refreshIn > .zero, refreshIn < lifetime { window = lifetime - refreshIn }
    return lifetime - window * (1 - random / 5)
  }
}

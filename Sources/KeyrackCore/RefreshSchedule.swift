/// When to try again after failures: 1 s, doubled at each, at most 5 minutes; a provider that names a time is obeyed.
package struct RefreshSchedule: Sendable, Equatable {
  package static let first = Duration.seconds(1)
  package static let longest = Duration.seconds(300)

  private var failures = 0

  package init() {}

  package mutating func succeeded() { failures = 0 }

  /// How long to wait after one more failure.
  package mutating func failed(retryAfter: Duration? = nil) -> Duration {
    failures += 1
    let own = failures > 9 ? Self.longest : min(Self.longest, Self.first * (1 << (failures - 1)))
    return max(own, retryAfter ?? .zero)
  }
}

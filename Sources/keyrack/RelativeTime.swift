/// Times as people say them, to the larger unit.
enum RelativeTime {
  /// Both in Unix seconds.
  static func text(_ time: Int, now: Int) -> String {
    let (distance, overflow) = time.subtractingReportingOverflow(now)
    if overflow { return time < now ? "long ago" : "in ages" }
    if distance == 0 { return "now" }
    return distance > 0 ? "in \(length(distance))" : "\(length(-distance)) ago"
  }

  /// Of what has happened, although a second may have been rounded up.
  static func past(_ time: Int, now: Int) -> String { time >= now ? "just now" : text(time, now: now) }

  /// A length of time in seconds.
  static func length(_ seconds: Int) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}

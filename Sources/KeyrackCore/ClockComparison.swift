import KeyrackProtocol

/// This machine's clock, beside those of providers.
struct ClockComparison {
  /// Seconds, which an id token may be off by.
  private static let allowed = IDTokenExpectation.leeway

  /// By how many seconds this clock is ahead of each.
  var leads: [(provider: String, seconds: Int)] = []

  /// Nil where no provider told its time.
  var check: Check? {
    guard let largest = leads.map({ abs($0.seconds) }).max() else { return nil }
    let wrong = leads.filter { abs($0.seconds) > Self.allowed }
    guard !wrong.isEmpty else {
      return .ok("clock", "within \(max(1, largest)) s of \(leads.map(\.provider).joined(separator: ", "))")
    }
    let differences = wrong.map { lead in
      "\(Self.length(abs(lead.seconds))) \(lead.seconds > 0 ? "ahead of" : "behind") \(lead.provider)"
    }
    return .warn(
      "clock", differences.joined(separator: ", "),
      hint: "set it, as by timedatectl set-ntp true: more than \(Self.allowed) s and sign-ins can be refused")
  }

  private static func length(_ seconds: Int) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}

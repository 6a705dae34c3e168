/// How long a token lives, in all the shapes that providers say it.
enum AnswerLifetime {
  private static let maximum = 365 * 86400.0

  /// Whole seconds from 0 to a year; nil for what is no number. `unit` is what is counted.
  static func duration(_ count: Double, unit: Duration = .seconds(1)) -> Duration? {
    let seconds = count / (.seconds(1) / unit)
    guard !seconds.isNaN else { return nil }
    // Clamped first: the conversion traps on what an Int cannot hold.
    return .seconds(Int(min(max(seconds, 0), maximum)))
  }

  /// Rounded up to whole seconds, and into the range.
  static func seconds(_ count: Double, in range: ClosedRange<Int>) -> Duration {
    // Clamped first, as above; what is no number is the least.
    let seconds = count.isNaN ? 0 : count.rounded(.up)
    return .seconds(Int(min(max(seconds, Double(range.lowerBound)), Double(range.upperBound))))
  }

  /// Until a time in Unix seconds, or milliseconds; nil where it is over.
  static func duration(until time: Double, now: Int) -> Duration? {
    // In seconds that would be the year 5138.
    let seconds = time > 1e11 ? time / 1000 : time
    let lifetime = duration(seconds - Double(now))
    return lifetime == .zero ? nil : lifetime
  }

  /// A number in decimal digits.
  static func number(_ text: String) -> Double? {
    let digits = text.drop { $0 == " " }
    // Double also reads "nan", "inf" and hexadecimal.
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(digits)
  }
}

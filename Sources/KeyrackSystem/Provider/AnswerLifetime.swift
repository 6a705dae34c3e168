/// How long a token lives, in all the shapes that providers say it.
enum AnswerLifetime {
  private static let maximum = 365 * 86400.0

  /// Whole seconds from 0 to a year; nil for what is no number.
  static func duration(_ seconds: Double) -> Duration? {
    guard !seconds.isNaN else { return nil }
    // Clamped first: the conversion traps on what an Int cannot hold.
    return .seconds(Int(min(max(seconds, 0), maximum)))
  }

  static func duration(_ text: String) -> Duration? {
    let digits = text.drop { $0 == " " }
    // Double also reads "nan", "inf" and hexadecimal.
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(digits).flatMap { duration($0) }
  }
}

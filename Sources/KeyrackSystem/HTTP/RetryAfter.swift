import CCurl
import Glibc

/// `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
  /// However long the provider says.
  static let maximum = Duration.seconds(3600)

  /// Of seconds or any of the three forms of a date; nil for the past and for what is neither. `now` is Unix seconds.
  static func duration(_ text: String?, now: Int = time(nil)) -> Duration? {
    guard let text, let first = text.utf8.first else { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More digits than an Int has are a long time, too.
      return min(.seconds(min(Int(text) ?? .max, Int(Int32.max))), maximum)
    }
    // A date begins with the name of a day; curl_getdate would also take a bare number or time of day for one.
    guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return nil }
    let date = unsafe curl_getdate(text, nil)
    return date > now ? min(.seconds(date - now), maximum) : nil
  }
}

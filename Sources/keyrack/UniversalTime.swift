import Glibc

/// A time as RFC 3339 has it, in UTC.
enum UniversalTime {
  /// Unix seconds.
  static func text(_ time: Int) -> String {
    var seconds = time
    var parts = unsafe tm()
    guard unsafe gmtime_r(&seconds, &parts) != nil else { return String(time) }
    var buffer = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&buffer, buffer.count, "%FT%TZ", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

import Glibc

/// A time as the clock on the wall shows it.
enum LocalTime {
  /// Unix seconds.
  static func text(_ time: Int) -> String {
    var seconds = time
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return String(time) }
    var buffer = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&buffer, buffer.count, "%F %T", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

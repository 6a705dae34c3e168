/// Cuts a stream of bytes into lines of the protocol: `\n` ends a line, a `\r` before it is dropped, blank lines are
/// skipped, and the last line needs no `\n` at the end of input.
package struct LineBuffer {
  /// Bytes in a line, its end not counted.
  package static let maximumLength = 64 * 1024

  package enum Next: Equatable {
    case line([UInt8])
    /// The line under way is longer than may be; nothing more can be read from this stream.
    case tooLong
    /// More bytes are needed.
    case incomplete
  }

  private let maximumLength: Int
  private var bytes: [UInt8] = []
  /// Where the first line that was not given out begins.
  private var start = 0
  /// Up to where it was searched for an end.
  private var searched = 0

  package init(maximumLength: Int = LineBuffer.maximumLength) { self.maximumLength = maximumLength }

  /// Whether a line has begun and is not whole.
  package var isInsideLine: Bool { start < bytes.count }

  package mutating func append(_ more: some Collection<UInt8>) {
    if start > 0 { bytes.removeSubrange(..<start) }
    searched -= start
    start = 0
    bytes.append(contentsOf: more)
  }

  /// The next line that is whole. At the end of input, what is left counts as one.
  package mutating func next(atEnd: Bool = false) -> Next {
    while true {
      let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) ?? (atEnd && isInsideLine ? bytes.count : nil)
      guard let end else {
        searched = bytes.count
        return bytes.count - start > maximumLength + 1 ? .tooLong : .incomplete
      }
      let line = take(upTo: end)
      if line.count > maximumLength { return .tooLong }
      if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return .line(line) }
    }
  }

  private mutating func take(upTo end: Int) -> [UInt8] {
    var last = end
    if last > start, bytes[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    let line = Array(bytes[start..<last])
    // A line may hold a password.
    for position in start..<last { bytes[position] = 0 }
    start = min(end + 1, bytes.count)
    searched = start
    return line
  }
}

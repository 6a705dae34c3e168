import Glibc
import KeyrackProtocol

/// Secrets from a pipe.
enum StandardInput {
  /// Bytes in a token: with it the request still fits a line of the protocol.
  static let longestToken = 48 * 1024

  /// One line without its end. What follows it is left for whoever reads next.
  static func line(_ what: String, longest: Int) throws(CommandFailure) -> Secret {
    var line: [UInt8] = []
    line.reserveCapacity(longest + 2)
    while let byte = try nextByte(), byte != UInt8(ascii: "\n") {
      line.append(byte)
      if line.count > longest + 1 { break }
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.count > longest {
      throw CommandFailure(status: 1, "the \(what) on standard input is longer than \(longest) bytes")
    }
    if line.isEmpty { throw CommandFailure(status: 1, "no \(what) came on standard input") }
    do { _ = try UTF8Span(validating: line.span) } catch {
      throw CommandFailure(status: 1, "the \(what) on standard input is not UTF-8")
    }
    return Secret(line)
  }

  /// All of it: one line without its end, or the lines of a key in PEM as they are.
  static func secret(_ what: String) throws(CommandFailure) -> Secret {
    var bytes = try InputFile(descriptor: STDIN_FILENO, name: "standard input").contents(limit: longestToken)
    if bytes.count(where: { $0 == UInt8(ascii: "\n") }) == 1, bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    if bytes.isEmpty { throw CommandFailure(status: 1, "no \(what) came on standard input") }
    do { _ = try UTF8Span(validating: bytes.span) } catch {
      throw CommandFailure(status: 1, "the \(what) on standard input is not UTF-8")
    }
    return Secret(bytes)
  }

  /// Lines up to an empty one or the end, that one left out. What has come behind it is lost.
  static func paragraph(longest: Int) throws(CommandFailure) -> [ArraySlice<UInt8>] {
    var bytes: [UInt8] = []
    // It may hold a secret: the array never moves, so that no copy is left behind.
    bytes.reserveCapacity(longest + 1)
    let end = UInt8(ascii: "\n")
    while bytes.count <= longest, let byte = try nextByte() {
      if byte == end && (bytes.isEmpty || bytes.last == end) { break }
      bytes.append(byte)
    }
    if bytes.count > longest {
      throw CommandFailure(status: 1, "what came on standard input is longer than \(longest) bytes")
    }
    return bytes.split(separator: end)
  }

  /// Nil at the end of input.
  private static func nextByte() throws(CommandFailure) -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count >= 0 { return count == 0 ? nil : byte }
      if errno != EINTR {
        let reason = unsafe String(cString: strerror(errno))
        throw CommandFailure(status: 1, "could not read standard input: \(reason)")
      }
    }
  }
}

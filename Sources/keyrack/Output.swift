import Glibc
import KeyrackProtocol

/// Standard output for data, standard error for everything else.
enum Output {
  /// Writes bytes as they are, and a line feed.
  static func line(_ bytes: [UInt8]) throws(CommandFailure) {
    try data(bytes + [UInt8(ascii: "\n")])
  }

  /// Writes text that is already fit for a terminal.
  static func data(_ text: String) throws(CommandFailure) { try data(Array(text.utf8)) }

  private static func data(_ bytes: [UInt8]) throws(CommandFailure) {
    guard write(bytes, to: STDOUT_FILENO) else {
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(status: 1, "could not write to standard output: \(reason)")
    }
  }

  /// One line for the person, made fit for a terminal.
  static func note(_ text: String) {
    // Nobody is left to be told where this fails.
    _ = write(Array((text.printable + "\n").utf8), to: STDERR_FILENO)
  }

  /// What takes a while, for whoever waits at a terminal; nothing where standard error is none.
  static func progress(_ text: String) {
    if isatty(STDERR_FILENO) == 1 { note(text) }
  }

  /// Lines that are ours.
  static func picture(_ lines: [String]) {
    _ = write(Array(lines.map { $0 + "\n" }.joined().utf8), to: STDERR_FILENO)
  }

  static func warning(_ text: String) { note("keyrack: warning: \(text)") }

  static func failure(_ failure: CommandFailure) {
    note("keyrack: \(failure.message)")
    if let hint = failure.hint { note("keyrack: hint: \(hint)") }
  }

  /// Whether all of it was written; else `errno` tells why not.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

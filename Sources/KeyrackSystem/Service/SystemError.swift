import Glibc

/// A call of the system or of a C library failed.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// "could not WHAT: why".
  package let message: String

  package var description: String { message }

  package init(_ message: String) { self.message = message }

  /// `code` is a value of errno.
  package init(_ what: String, code: Int32) { self.init("could not \(what): \(SystemError.text(of: code))") }

  /// The result of a call of libsystemd, which returns negated values of errno.
  @discardableResult
  package static func check(_ what: @autoclosure () -> String, _ result: Int32) throws(SystemError) -> Int32 {
    if result < 0 { throw SystemError(what(), code: -result) }
    return result
  }

  /// What `strerror` says, on any thread.
  package static func text(of code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // The form of GNU: the text is not always in the buffer.
      guard let start = buffer.baseAddress, let text = unsafe strerror_r(code, start, buffer.count) else {
        return "error \(code)"
      }
      return unsafe String(cString: text)
    }
  }
}

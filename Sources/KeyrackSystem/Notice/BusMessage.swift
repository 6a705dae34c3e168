import CSystemd
import Glibc

/// A message of D-Bus, whose values are added one by one. What could not be added is told when it is sent.
@safe final class BusMessage {
  struct Failure: Error {
    /// A value of errno.
    let code: Int32
  }

  // The pointer never changes.
  private let message: OpaquePointer
  private var result: Int32 = 0

  /// Nil where there is no memory for it.
  init?(calling member: String, of interface: String, at path: String, on name: String, _ bus: OpaquePointer) {
    var made: OpaquePointer?
    guard unsafe sd_bus_message_new_method_call(bus, &made, name, path, interface, member) >= 0,
      let message = unsafe made
    else { return nil }
    unsafe self.message = message
  }

  /// Owns it.
  private init(_ message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe sd_bus_message_unref(message) }

  func add(_ text: String) { unsafe text.withCString { text in unsafe addBasic("s", text) } }
  func add(_ number: UInt32) { unsafe withUnsafePointer(to: number) { unsafe addBasic("u", $0) } }
  func add(_ number: Int32) { unsafe withUnsafePointer(to: number) { unsafe addBasic("i", $0) } }
  func add(_ byte: UInt8) { unsafe withUnsafePointer(to: byte) { unsafe addBasic("y", $0) } }

  /// `type` is that of the container: `a`, `e` or `v`.
  func addContainer(_ type: Unicode.Scalar, of contents: String, _ add: () -> Void) {
    note(unsafe sd_bus_message_open_container(message, Self.character(type), contents))
    add()
    note(unsafe sd_bus_message_close_container(message))
  }

  /// The reply. Blocks.
  func send(by bus: OpaquePointer, within limit: Duration) throws(Failure) -> BusMessage {
    var reply: OpaquePointer?
    if result >= 0 { note(unsafe sd_bus_call(bus, message, UInt64(limit / .microseconds(1)), nil, &reply)) }
    guard result >= 0, let reply = unsafe reply else { throw Failure(code: -result) }
    return unsafe BusMessage(reply)
  }

  /// The next value, nil where that is none.
  func number() -> UInt32? {
    var number: UInt32 = 0
    return unsafe sd_bus_message_read_basic(message, Self.character("u"), &number) > 0 ? number : nil
  }

  /// The same for text.
  func text() -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(message, Self.character("s"), &text) > 0, let text = unsafe text else {
      return nil
    }
    return unsafe String(cString: text)
  }

  /// The name of the connection that it came from.
  var sender: String? { unsafe sd_bus_message_get_sender(message).map { unsafe String(cString: $0) } }

  private func addBasic(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) {
    note(unsafe sd_bus_message_append_basic(message, Self.character(type), value))
  }

  private func note(_ result: Int32) { if self.result >= 0 { self.result = result } }

  private static func character(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}

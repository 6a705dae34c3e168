import CSecret

/// A connection to a message bus of a test's own, and calls in GVariant's text form.
// Unchecked: GDBus has its own locks.
final class Bus: @unchecked Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ error: UnsafeMutablePointer<GError>?) {
      description = "\(what): \(error.map { String(cString: $0.pointee.message) } ?? "no reason given")"
      if let error { g_error_free(error) }
    }
  }

  private let connection: OpaquePointer

  init(address: String) throws {
    var error: UnsafeMutablePointer<GError>?
    let flags = GDBusConnectionFlags(
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    guard let opened = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, &error) else {
      throw Failure("could not connect to \(address)", error)
    }
    g_dbus_connection_set_exit_on_close(opened, 0)
    connection = opened
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(connection)) }

  /// Leaves the bus: who waits for an answer from here gets an error. Not for a thread of GDBus's.
  func close() { g_dbus_connection_close_sync(connection, nil, nil) }

  /// Has calls to this connection answered. Runs on a thread of GDBus's, for as long as the connection lives.
  func serve(_ answer: @escaping @Sendable (Bus.Call) -> Bus.Answer) {
    let context = Unmanaged.passRetained(Server(answer: answer)).toOpaque()
    g_dbus_connection_add_filter(
      connection,
      { connection, message, incoming, context in
        guard let connection, let message, let context, incoming != 0,
          g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL
        else { return message }
        Unmanaged<Server>.fromOpaque(context).takeUnretainedValue().handle(message, on: connection)
        g_object_unref(UnsafeMutableRawPointer(message))
        return nil
      }, context, { if let context = $0 { Unmanaged<Server>.fromOpaque(context).release() } })
  }

  /// A call that came in.
  struct Call {
    /// Its name on the bus.
    let sender: String
    let path: String
    let member: String
    let arguments: [Variant]
  }

  /// Values are tuples in GVariant's text form.
  enum Answer {
    case reply(String)
    case error(String)
    /// A reply, and then a signal from the same path.
    case signal(interface: String, member: String, String)
    case nothing
  }

  /// Calls a method; `arguments` is a tuple in GVariant's text form.
  @discardableResult
  func call(
    _ method: String, of interface: String, at path: String, on name: String = "org.freedesktop.secrets",
    _ arguments: String = "()"
  ) throws -> Variant {
    var error: UnsafeMutablePointer<GError>?
    guard let parsed = g_variant_parse(nil, arguments, nil, nil, &error) else {
      throw Failure("could not parse \(arguments)", error)
    }
    let reply = g_dbus_connection_call_sync(
      connection, name, path, interface, method, parsed, nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, 5000, nil, &error)
    g_variant_unref(parsed)
    guard let reply else { throw Failure("\(interface).\(method)", error) }
    return Variant(reply)
  }
}

private final class Server: Sendable {
  private let answer: @Sendable (Bus.Call) -> Bus.Answer

  init(answer: @escaping @Sendable (Bus.Call) -> Bus.Answer) { self.answer = answer }

  func handle(_ message: OpaquePointer, on connection: OpaquePointer) {
    let path = String(cString: g_dbus_message_get_path(message))
    let sender = String(cString: g_dbus_message_get_sender(message))
    let body = g_dbus_message_get_body(message).map { Variant(g_variant_ref($0)).children } ?? []
    let member = String(cString: g_dbus_message_get_member(message))
    switch answer(Bus.Call(sender: sender, path: path, member: member, arguments: body)) {
    case .nothing: break
    case .error(let name): send(g_dbus_message_new_method_error_literal(message, name, "for the test"), on: connection)
    case .reply(let body): send(g_dbus_message_new_method_reply(message), body, on: connection)
    case .signal(let interface, let member, let body):
      send(g_dbus_message_new_method_reply(message), on: connection)
      send(g_dbus_message_new_signal(path, interface, member), body, on: connection)
    }
  }

  private func send(_ message: OpaquePointer?, _ body: String = "()", on connection: OpaquePointer) {
    g_dbus_message_set_body(message, g_variant_parse(nil, body, nil, nil, nil))
    g_dbus_connection_send_message(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
    if let message { g_object_unref(UnsafeMutableRawPointer(message)) }
  }
}

/// A value from the bus.
final class Variant {
  private let value: OpaquePointer

  init(_ value: OpaquePointer) { self.value = value }
  deinit { g_variant_unref(value) }

  var children: [Variant] {
    (0..<g_variant_n_children(value)).map { Variant(g_variant_get_child_value(value, $0)) }
  }
  subscript(_ index: Int) -> Variant { Variant(g_variant_get_child_value(value, gsize(index))) }

  /// What a variant holds.
  var inner: Variant { Variant(g_variant_get_variant(value)) }
  var text: String { String(cString: g_variant_get_string(value, nil)) }
  var number: UInt32 { g_variant_get_uint32(value) }
  var isTrue: Bool { g_variant_get_boolean(value) != 0 }
  var bytes: [UInt8] { children.map { g_variant_get_byte($0.value) } }
  /// Of a dictionary of strings.
  var dictionary: [String: String] {
    Dictionary(uniqueKeysWithValues: children.map { ($0[0].text, $0[1].text) })
  }
}

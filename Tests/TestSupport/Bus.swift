import CSecret

/// A connection to a message bus of a test's own, and calls in GVariant's text form.
final class Bus {
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
  var isTrue: Bool { g_variant_get_boolean(value) != 0 }
  var bytes: [UInt8] { children.map { g_variant_get_byte($0.value) } }
  /// Of a dictionary of strings.
  var dictionary: [String: String] {
    Dictionary(uniqueKeysWithValues: children.map { ($0[0].text, $0[1].text) })
  }
}

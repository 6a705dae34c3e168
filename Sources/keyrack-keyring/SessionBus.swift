import CSecret

/// The connection to the session bus that libsecret uses too, and the calls that need none of libsecret's state: by the
/// service's well-known name they never go stale.
@safe final class SessionBus {
  private let connection: OpaquePointer

  init() throws(ServiceError) {
    var error: UnsafeMutablePointer<GError>?
    guard let opened = unsafe g_bus_get_sync(G_BUS_TYPE_SESSION, nil, &error) else {
      guard case .failed(let message) = unsafe ServiceError("connecting to the session bus", taking: error) else {
        throw .unavailable("connecting to the session bus: it did not answer")
      }
      throw .unavailable(message)
    }
    // Otherwise the death of the bus is a SIGTERM to us. The setting is lost with the last reference, so it is kept.
    unsafe g_dbus_connection_set_exit_on_close(opened, 0)
    unsafe connection = unsafe opened
  }

  /// Asks the bus itself for something.
  func ping() throws(ServiceError) {
    _ = try call("GetId", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", .tuple(), on: "org.freedesktop.DBus")
  }

  /// The collection that new items go to, nil where there is none.
  func defaultCollection() throws(ServiceError) -> String? {
    let reply = try call("ReadAlias", of: "org.freedesktop.Secret.Service", at: Self.root, .tuple(.text("default")))
    guard let path = reply.children.first?.text, path != "/" else { return nil }
    return path
  }

  func isLocked(_ collection: String) throws(ServiceError) -> Bool {
    let name = Variant.tuple(.text("org.freedesktop.Secret.Collection"), .text("Locked"))
    let reply = try call("Get", of: "org.freedesktop.DBus.Properties", at: collection, name)
    return reply.children.first?.inner?.isTrue ?? true
  }

  /// The paths of all items that have at least these attributes. What a locked database hides is not among them.
  func search(_ attributes: [String: String]) throws(ServiceError) -> (unlocked: [String], locked: [String]) {
    let reply = try call(
      "SearchItems", of: "org.freedesktop.Secret.Service", at: Self.root, .tuple(.dictionary(attributes)))
    let paths = reply.children.map { $0.children.compactMap(\.text) }
    guard paths.count == 2 else { throw .failed("searching: the Secret Service gave no list") }
    return (paths[0], paths[1])
  }

  /// Of an item. Three times as fast as all of its properties, which counts with many items: gnome-keyring takes longer
  /// for each the more there are.
  func attributes(of item: String) throws(ServiceError) -> [String: String] {
    let name = Variant.tuple(.text("org.freedesktop.Secret.Item"), .text("Attributes"))
    let reply = try call("Get", of: "org.freedesktop.DBus.Properties", at: item, name)
    return reply.children.first?.inner?.dictionary.compactMapValues(\.text) ?? [:]
  }

  private static let root = "/org/freedesktop/secrets"

  private func call(
    _ method: String, of interface: String, at path: String, _ arguments: Variant,
    on name: String = "org.freedesktop.secrets"
  ) throws(ServiceError) -> Variant {
    var error: UnsafeMutablePointer<GError>?
    let reply = unsafe g_dbus_connection_call_sync(
      connection, name, path, interface, method, arguments.pointer, nil, G_DBUS_CALL_FLAGS_NONE,
      -1, nil, &error)
    guard let reply = unsafe reply else { throw unsafe ServiceError(method, taking: error) }
    return unsafe Variant(taking: reply)
  }
}

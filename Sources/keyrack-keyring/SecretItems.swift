import CSecret

/// libsecret: what needs its encrypted session with the service, or may have to show a prompt. Each call blocks until
/// the service, and the person where one is asked, has answered.
@safe final class SecretItems {
  private let service: UnsafeMutablePointer<SecretService>

  init() throws(ServiceError) {
    var error: UnsafeMutablePointer<GError>?
    guard let opened = unsafe secret_service_get_sync(SECRET_SERVICE_NONE, nil, &error) else {
      throw unsafe ServiceError("opening the Secret Service", taking: error)
    }
    unsafe service = unsafe opened
  }

  deinit {
    // libsecret keeps a service for the process, which never learns that its provider was started anew.
    secret_service_disconnect()
    unsafe g_object_unref(UnsafeMutableRawPointer(service))
  }

  /// Shows a prompt where the service wants one. Look at `Locked` afterwards: a dismissed prompt is no error.
  func unlock(_ paths: [String]) throws(ServiceError) {
    var error: UnsafeMutablePointer<GError>?
    unsafe withPaths(paths) { unsafe _ = secret_service_unlock_dbus_paths_sync(service, $0, nil, nil, &error) }
    if unsafe error != nil { throw unsafe ServiceError("unlocking", taking: error) }
  }

  /// Makes the default collection; the service asks the person for its password.
  func createDefaultCollection() throws(ServiceError) {
    var error: UnsafeMutablePointer<GError>?
    let properties = unsafe Self.properties(["org.freedesktop.Secret.Collection.Label": .text("Login")])
    defer { unsafe g_hash_table_unref(properties) }
    let path = unsafe secret_service_create_collection_dbus_path_sync(
      service, properties, "default", SECRET_COLLECTION_CREATE_NONE, nil, &error)
    unsafe g_free(path)
    if unsafe error != nil { throw unsafe ServiceError("creating the default collection", taking: error) }
  }

  /// The secrets of items. One that is locked has none here.
  func secrets(of paths: [String]) throws(ServiceError) -> [String: [UInt8]] {
    if paths.isEmpty { return [:] }
    var error: UnsafeMutablePointer<GError>?
    var table: OpaquePointer?
    unsafe withPaths(paths) { unsafe table = secret_service_get_secrets_for_dbus_paths_sync(service, $0, nil, &error) }
    guard let table = unsafe table else { throw unsafe ServiceError("reading secrets", taking: error) }
    defer { unsafe g_hash_table_unref(table) }
    return paths.reduce(into: [:]) { found, path in
      if let value = unsafe g_hash_table_lookup(table, path) {
        unsafe found[path] = Self.bytes(of: OpaquePointer(value))
      }
    }
  }

  /// Creates an item, or replaces the one that has these very attributes. Its path.
  func store(
    _ secret: [UInt8], label: String, attributes: [String: String], in collection: String
  ) throws(ServiceError) -> String {
    var error: UnsafeMutablePointer<GError>?
    let properties = unsafe Self.properties([
      "org.freedesktop.Secret.Item.Label": .text(label),
      "org.freedesktop.Secret.Item.Attributes": .dictionary(attributes),
    ])
    defer { unsafe g_hash_table_unref(properties) }
    let value = unsafe secret.withUnsafeBytes {
      unsafe secret_value_new($0.baseAddress?.assumingMemoryBound(to: gchar.self), gssize($0.count), "text/plain")
    }
    defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
    let path = unsafe secret_service_create_item_dbus_path_sync(
      service, collection, properties, value, SECRET_ITEM_CREATE_REPLACE, nil, &error)
    guard let path = unsafe path else { throw unsafe ServiceError("storing", taking: error) }
    defer { unsafe g_free(path) }
    return unsafe String(cString: path)
  }

  /// Look whether it is gone: a service may ask the person, keep the item and report no error.
  func delete(_ path: String) throws(ServiceError) {
    var error: UnsafeMutablePointer<GError>?
    _ = unsafe secret_service_delete_item_dbus_path_sync(service, path, nil, &error)
    if unsafe error != nil { throw unsafe ServiceError("removing", taking: error) }
  }

  private static func bytes(of value: OpaquePointer) -> [UInt8] {
    var length: gsize = 0
    guard let start = unsafe secret_value_get(value, &length) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
  }

  /// A table that owns its names and values.
  private static func properties(_ values: [String: Variant]) -> OpaquePointer? {
    let table = unsafe g_hash_table_new_full(
      g_str_hash, g_str_equal, { unsafe g_free($0) }, { unsafe g_variant_unref(OpaquePointer($0)) })
    for (name, value) in values {
      unsafe g_hash_table_insert(table, g_strdup(name), UnsafeMutableRawPointer(g_variant_ref(value.pointer)))
    }
    return unsafe table
  }
}

/// Lends the paths as an array of C strings that ends with a null pointer.
private func withPaths(
  _ paths: [String], _ body: (UnsafeMutablePointer<UnsafePointer<gchar>?>?) -> Void
) {
  let copies = unsafe paths.map { unsafe g_strdup($0) }
  defer { unsafe copies.forEach { unsafe g_free($0) } }
  var list = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
  unsafe list.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
}

import CGLib
import Glibc

/// The person's `keyrack.conf`, to be changed: GLib's `GKeyFile`, which keeps comments and the order of what is there.
// The pointer is valid for as long as the object lives and does not leave it.
@safe final class ConfigurationFile {
  let path: String
  let pointer: OpaquePointer
  /// What was there; nil where nothing was.
  private let original: [UInt8]?

  /// The person's own. One that is not there counts as empty. Throws where it cannot be read, or is no key file.
  convenience init() throws(CommandFailure) { try self.init(path: Self.usualPath()) }

  init(path: String) throws(CommandFailure) {
    self.path = path
    original = try Self.contents(path)
    unsafe pointer = g_key_file_new()
    var error: UnsafeMutablePointer<GError>?
    let flags = GKeyFileFlags(G_KEY_FILE_KEEP_COMMENTS.rawValue | G_KEY_FILE_KEEP_TRANSLATIONS.rawValue)
    let text = original ?? []
    let isLoaded = unsafe text.withUnsafeBytes { bytes in
      unsafe g_key_file_load_from_data(pointer, bytes.baseAddress, gsize(bytes.count), flags, &error)
    }
    guard isLoaded == 0, let error = unsafe error else { return }
    defer { unsafe g_error_free(error) }
    throw CommandFailure(
      status: 1, "could not read \(path): \(unsafe String(cString: error.pointee.message))", hint: "keyrack reload")
  }

  deinit { unsafe g_key_file_unref(pointer) }

  func has(group: String) -> Bool { unsafe g_key_file_has_group(pointer, group) != 0 }

  func string(_ key: String, group: String) -> String? {
    guard let value = unsafe g_key_file_get_string(pointer, group, key, nil) else { return nil }
    defer { unsafe g_free(value) }
    return unsafe String(cString: value)
  }

  /// Plain text; it is escaped here.
  func set(_ key: String, to text: String, group: String) { unsafe g_key_file_set_string(pointer, group, key, text) }

  /// A value as a file has it, escaped already.
  func set(_ key: String, toEscaped value: String, group: String) {
    unsafe g_key_file_set_value(pointer, group, key, value)
  }

  func remove(group: String) { unsafe g_key_file_remove_group(pointer, group, nil) }

  /// What would be written.
  var text: String {
    guard let data = unsafe g_key_file_to_data(pointer, nil, nil) else { return "" }
    defer { unsafe g_free(data) }
    return unsafe String(cString: data)
  }

  /// Writes the file whole or not at all, readable by its owner only.
  func save() throws(CommandFailure) { try Self.write(Array(text.utf8), to: path) }

  /// Puts back what was there, byte for byte.
  func restore() throws(CommandFailure) {
    if let original { return try Self.write(original, to: path) }
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw CommandFailure(status: 1, "could not remove \(path): \(unsafe String(cString: strerror(errno)))")
    }
  }

  static func usualPath() throws(CommandFailure) -> String {
    let base = unsafe String(cString: g_get_user_config_dir())
    guard base.utf8.first == UInt8(ascii: "/") else {
      throw CommandFailure(status: 1, "no home directory is known", hint: "set HOME")
    }
    return "\(base)/keyrack/keyrack.conf"
  }
}

import CGLib

/// A parsed key file, GLib's `GKeyFile`. Not for sharing between threads.
// The pointer is valid for as long as the object lives and does not leave it.
@safe final class KeyFile {
  enum Failure: Error {
    /// GLib's message: it is translated and names no line.
    case malformed(String)
  }

  private let file: OpaquePointer

  init(parsing text: [UInt8]) throws(Failure) {
    unsafe file = g_key_file_new()
    var error: UnsafeMutablePointer<GError>?
    let isLoaded = unsafe text.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        unsafe g_key_file_load_from_data(
          file, characters.baseAddress, gsize(characters.count), G_KEY_FILE_NONE, &error)
      }
    }
    if isLoaded == 0 { throw .malformed(unsafe Self.take(error)) }
  }

  /// The first line that makes the text unreadable, counting from 1.
  static func malformedLine(of text: [UInt8]) -> Int {
    let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") } + [text.count]
    var lines = 0..<ends.count
    while lines.count > 1 {
      let middle = lines.lowerBound + lines.count / 2
      let isReadable = (try? KeyFile(parsing: Array(text[..<ends[middle - 1]]))) != nil
      lines = isReadable ? middle..<lines.upperBound : lines.lowerBound..<middle
    }
    return lines.lowerBound + 1
  }

  deinit { unsafe g_key_file_unref(file) }

  /// The value with its escapes (`\s`, `\n`, `\t`, `\r`, `\\`) resolved.
  func string(_ key: String, group: String) throws(Failure) -> String {
    var error: UnsafeMutablePointer<GError>?
    // For an unknown escape GLib answers with both a value and an error.
    let value = unsafe g_key_file_get_string(file, group, key, &error)
    defer { unsafe g_free(value) }
    guard unsafe error == nil, let value = unsafe value else { throw .malformed(unsafe Self.take(error)) }
    return unsafe String(cString: value)
  }

  /// The value as the file has it.
  func raw(_ key: String, group: String) throws(Failure) -> String {
    var error: UnsafeMutablePointer<GError>?
    let value = unsafe g_key_file_get_value(file, group, key, &error)
    defer { unsafe g_free(value) }
    guard unsafe error == nil, let value = unsafe value else { throw .malformed(unsafe Self.take(error)) }
    return unsafe String(cString: value)
  }

  /// The value as a list whose items `;` ends or separates.
  func list(_ key: String, group: String) throws(Failure) -> [String] {
    var error: UnsafeMutablePointer<GError>?
    var count: gsize = 0
    let items = unsafe g_key_file_get_string_list(file, group, key, &count, &error)
    defer { unsafe g_strfreev(items) }
    guard unsafe error == nil, let items = unsafe items else { throw .malformed(unsafe Self.take(error)) }
    return (0..<Int(count)).compactMap { index in unsafe items[index].map { unsafe String(cString: $0) } }
  }

  private static func take(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error = unsafe error else { return "unknown error" }
    defer { unsafe g_error_free(error) }
    return unsafe String(cString: error.pointee.message)
  }
}

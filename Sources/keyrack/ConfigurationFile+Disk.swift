import CGLib
import Glibc

// The file itself.
extension ConfigurationFile {
  /// The names of the groups, in their order.
  var groups: [String] {
    guard let names = unsafe g_key_file_get_groups(pointer, nil) else { return [] }
    defer { unsafe g_strfreev(names) }
    var groups: [String] = []
    while let name = unsafe names[groups.count] { groups.append(unsafe String(cString: name)) }
    return groups
  }

  /// Nil where there is no such file.
  static func contents(_ path: String) throws(CommandFailure) -> [UInt8]? {
    var status = stat()
    // A link to nothing would be replaced by a file.
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return try InputFile(path: path).contents(limit: 1 << 20)
  }

  static func write(_ text: [UInt8], to path: String) throws(CommandFailure) {
    // A file that is a link, as in a collection of dot files, stays one.
    let resolved = unsafe realpath(path, nil)
    defer { unsafe free(resolved) }
    let target = unsafe resolved.map { unsafe String(cString: $0) } ?? path
    let directory = String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)])
    _ = unsafe g_mkdir_with_parents(directory, 0o700)
    let flags = GFileSetContentsFlags(
      G_FILE_SET_CONTENTS_CONSISTENT.rawValue | G_FILE_SET_CONTENTS_DURABLE.rawValue)
    var error: UnsafeMutablePointer<GError>?
    let isWritten = unsafe text.withUnsafeBytes { bytes in
      unsafe g_file_set_contents_full(target, bytes.baseAddress, gssize(bytes.count), flags, 0o600, &error)
    }
    guard isWritten == 0, let error = unsafe error else { return }
    defer { unsafe g_error_free(error) }
    throw CommandFailure(status: 1, "could not write \(path): \(unsafe String(cString: error.pointee.message))")
  }

  /// The file of `keyrack.conf.d` that has the group; nil where none has.
  func fragment(with group: String) -> String? {
    Self.fragments(of: path).last { (try? ConfigurationFile(path: $0))?.has(group: group) == true }
  }

  /// The files of `keyrack.conf.d`, in no order.
  static func fragments(of path: String) -> [String] {
    let directory = path + ".d"
    guard let entries = unsafe g_dir_open(directory, 0, nil) else { return [] }
    defer { unsafe g_dir_close(entries) }
    var found: [String] = []
    while let name = unsafe g_dir_read_name(entries) {
      let fragment = "\(directory)/\(unsafe String(cString: name))"
      if fragment.hasSuffix(".conf") && !fragment.hasPrefix(directory + "/.") { found.append(fragment) }
    }
    return found
  }
}

import CSystemd
import Glibc

/// What keeps a file from being used, in the words that follow its path.
struct TrustedFileError: Error, Equatable {
  let what: String
  let hint: String?
  /// Whether there is no such file at all.
  var isMissing = false

  init(_ what: String, hint: String? = nil) {
    self.what = what
    self.hint = hint
  }

  init(errno code: CInt) {
    // "Permission denied", as other messages have it: in small letters. glibc's answer belongs to this thread.
    let text = SystemError.text(of: code)
    self.init(text.prefix(1).lowercased() + text.dropFirst())
    isMissing = code == ENOENT
  }
}

/// An open regular file that nobody but the user and root can write: what it says decides where a password goes.
struct TrustedFile: ~Copyable {
  private let descriptor: CInt

  init(opening path: String) throws(TrustedFileError) { descriptor = try Self.descriptor(path) }

  private static func descriptor(_ path: String) throws(TrustedFileError) -> CInt {
    // Opening a FIFO would wait for its writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw openingFailed(path, errno) }
    var status = stat()
    let isKnown = unsafe fstat(descriptor, &status) == 0
    do { try requireFile(isKnown ? status : nil, path) } catch {
      _ = close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func requireFile(_ status: stat?, _ path: String) throws(TrustedFileError) {
    guard let status else { throw TrustedFileError("could not be examined") }
    switch status.st_mode & S_IFMT {
    case S_IFREG: try requireTrust(status, path)
    case S_IFDIR: throw TrustedFileError("is a directory", hint: "put a file in its place")
    default: throw TrustedFileError("is not a regular file", hint: "put a file in its place")
    }
  }

  deinit { _ = close(descriptor) }

  private static func openingFailed(_ path: String, _ code: CInt) -> TrustedFileError {
    var status = stat()
    if code == ENOENT, unsafe lstat(path, &status) == 0 {
      return TrustedFileError("is a symbolic link to nothing", hint: "rm \(path)")
    }
    return TrustedFileError(errno: code)
  }

  /// The whole file.
  func contents(limit: Int) throws(TrustedFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw TrustedFileError(errno: errno)
      }
      bytes.append(contentsOf: chunk.prefix(count))
      guard bytes.count <= limit else {
        throw TrustedFileError("is larger than \(limit / 1024) KiB", hint: "move parts of it to other files")
      }
    }
  }

  /// The names in a directory that nobody but the user and root can change, in no order.
  static func names(inDirectory path: String) throws(TrustedFileError) -> [String] {
    guard let directory = unsafe opendir(path) else { throw openingFailed(path, errno) }
    defer { unsafe closedir(directory) }
    var status = stat()
    guard unsafe fstat(dirfd(directory), &status) == 0 else { throw TrustedFileError(errno: errno) }
    try requireTrust(status, path)
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw TrustedFileError("holds a file whose name is not UTF-8")
      }
      names.append(name)
    }
    return names
  }

  private static func requireTrust(_ status: stat, _ path: String) throws(TrustedFileError) {
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw TrustedFileError("belongs to another user", hint: "chown \(geteuid()) \(path)")
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw TrustedFileError("can be written by other users", hint: "chmod go-w \(path)")
    }
  }
}

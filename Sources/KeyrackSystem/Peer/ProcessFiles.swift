import CSystemd
import Glibc
import KeyrackCore

/// What `/proc` tells of one process. The directory is held open: of a process that has ended it tells nothing, whoever
/// has its number by then.
@safe
final class ProcessFiles: Sendable {
  private let directory: Int32

  /// A namespace; two that are equal are the same one.
  struct Namespace: Equatable {
    let device: dev_t
    let inode: ino_t
  }

  /// Nil where it cannot be looked at; throws where descriptors have run out.
  init?(of process: pid_t) throws(PeerProcess.Failure) {
    directory = openFile(AT_FDCWD, "/proc/\(process)", O_PATH | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 { return }
    if errno == EMFILE || errno == ENFILE { throw .noDescriptors }
    return nil
  }

  deinit { if directory >= 0 { close(directory) } }

  /// The file that was executed.
  var executable: String? {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = unsafe readlinkat(directory, "exe", start, buffer.count)
      return count > 0 ? unsafe String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
  }

  /// The text of `cgroup`. Nil where it cannot be read; throws where descriptors have run out.
  func controlGroups() throws(PeerProcess.Failure) -> [UInt8]? {
    let file = openFile(directory, "cgroup", O_RDONLY | O_CLOEXEC)
    if file < 0, errno == EMFILE || errno == ENFILE { throw .noDescriptors }
    guard file >= 0 else { return nil }
    defer { close(file) }
    return read(file, atMost: 16 * 1024)
  }

  func namespace(_ name: String) -> Namespace? {
    var status = stat()
    guard unsafe fstatat(directory, "ns/\(name)", &status, 0) == 0 else { return nil }
    return Namespace(device: status.st_dev, inode: status.st_ino)
  }

  /// A small file in the root directory of the process. May block for as long as whoever made that file system likes.
  func rootFile(_ name: String, limit: Int) -> [UInt8]? {
    let file = openFile(directory, "root/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      return nil
    }
    return read(file, atMost: limit)
  }

  private func read(_ file: Int32, atMost limit: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = max(0, unsafe Glibc.read(file, buffer.baseAddress, limit))
    }
  }
}

/// `openat` without a mode.
private func openFile(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
  unsafe openat(directory, path, flags)
}

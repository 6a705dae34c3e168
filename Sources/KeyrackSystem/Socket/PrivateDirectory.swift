import CSystemd
import Glibc

/// A directory that only its owner, who is the user of this process, can write to; held open.
package struct PrivateDirectory: Sendable {
  package let path: String
  let descriptor: Int32

  package init(_ path: String, followsLink: Bool = false) throws(ListeningError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { throw .refused("\(path): \(SystemError.text(of: errno))") }
    self.path = path
    self.descriptor = descriptor
    if let problem = problem() {
      close()
      throw .refused("\(path): \(problem)")
    }
  }

  /// Opens it or, where there is none, makes it; its parent must be there.
  package static func make(_ path: String) throws(ListeningError) -> PrivateDirectory {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw .refused("could not make \(path): \(SystemError.text(of: errno))")
    }
    return try PrivateDirectory(path)
  }

  private func problem() -> String? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return SystemError.text(of: errno) }
    guard status.st_uid == geteuid() else { return "belongs to user \(status.st_uid), not to \(geteuid())" }
    guard status.st_mode & 0o022 == 0 else { return "others can write to it" }
    return nil
  }

  /// Until the process ends or ``close()``. Nothing is made or left behind.
  ///
  /// It is one lock for the directory: two daemons with different sockets in one directory exclude each other.
  package func lock() throws(ListeningError) {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
    if errno == EWOULDBLOCK { throw .alreadyRunning }
    throw .refused("could not lock \(path): \(SystemError.text(of: errno))")
  }

  package func close() { Glibc.close(descriptor) }
}

import CSystemd
import Glibc

/// The socket that clients connect to, and the lock on its directory by which there is one daemon.
package struct ListeningSocket: Sendable {
  /// To be given to ``SocketServer/start(listeningOn:)``, which closes it.
  package let descriptor: Int32
  /// Whether systemd made it.
  package let isActivated: Bool

  private let directory: PrivateDirectory
  private let name: String
  /// The file, where this process made it.
  private let file: FileIdentity?

  /// Under activation the socket that systemd passed, else one that is bound at `path`.
  package static func open() throws(ListeningError) -> ListeningSocket {
    let passed = try ActivationSockets.take()
    if !passed.isEmpty { return try adopt(passed) }
    return try bind(SocketPath.find())
  }

  /// Takes the lock before anything is touched. A socket that nobody listens on any more is replaced; nothing else is.
  package static func bind(_ path: SocketPath) throws(ListeningError) -> ListeningSocket {
    let directory = try PrivateDirectory.make(path.directory)
    do {
      try directory.lock()
      try removeStale(path, in: directory)
      let descriptor = try bindNew(path)
      let file = FileIdentity(path.name, in: directory)
      return ListeningSocket(
        descriptor: descriptor, isActivated: false, directory: directory, name: path.name, file: file)
    } catch {
      directory.close()
      throw error
    }
  }

  /// Takes the one listening Unix stream socket among `descriptors`.
  package static func adopt(_ descriptors: [Int32]) throws(ListeningError) -> ListeningSocket {
    guard let descriptor = descriptors.first, descriptors.count == 1 else {
      throw .refused("systemd passed \(descriptors.count) sockets, and one is needed")
    }
    guard ActivationSockets.isListeningStream(descriptor), let text = UnixSocket.path(of: descriptor) else {
      throw .refused("what systemd passed is not a listening Unix stream socket with a path")
    }
    let path = try SocketPath(text)
    let directory = try PrivateDirectory(path.directory)
    do { try directory.lock() } catch {
      directory.close()
      throw error
    }
    return ListeningSocket(descriptor: descriptor, isActivated: true, directory: directory, name: path.name, file: nil)
  }

  /// Removes the file where this process made it, so that nobody connects to a daemon that stops. The lock stays.
  package func removeFile() {
    guard let file, file == FileIdentity(name, in: directory) else { return }
    unsafe unlinkat(directory.descriptor, name, 0)
  }

  /// Gives the directory to the next daemon.
  package func unlock() { directory.close() }

  private static func removeStale(_ path: SocketPath, in directory: PrivateDirectory) throws(ListeningError) {
    guard let file = FileIdentity(path.name, in: directory) else { return }
    guard file.isSocket, file.owner == geteuid() else {
      throw .refused("\(path.text): is in the way, and is no socket of ours")
    }
    let probe = UnixSocket.make()
    guard probe >= 0 else { throw .refused("could not make a socket: \(SystemError.text(of: errno))") }
    defer { close(probe) }
    // A full queue (EAGAIN) is a live one.
    if UnixSocket.connect(probe, to: path.text) == 0 || errno == EAGAIN { throw .alreadyRunning }
    guard errno == ECONNREFUSED else { throw .refused("\(path.text): \(SystemError.text(of: errno))") }
    unsafe unlinkat(directory.descriptor, path.name, 0)
  }

  private static func bindNew(_ path: SocketPath) throws(ListeningError) -> Int32 {
    let descriptor = UnixSocket.make()
    guard descriptor >= 0 else { throw .refused("could not make a socket: \(SystemError.text(of: errno))") }
    // The file gets the mode of the descriptor: at no moment can another user connect, whatever the umask.
    guard fchmod(descriptor, 0o600) == 0, UnixSocket.bind(descriptor, to: path.text) == 0,
      listen(descriptor, SOMAXCONN) == 0
    else {
      let reason = SystemError.text(of: errno)
      close(descriptor)
      throw .refused("could not bind \(path.text): \(reason)")
    }
    return descriptor
  }
}

/// Which file a name stands for.
private struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t
  let owner: uid_t
  let isSocket: Bool

  /// Nil where there is none. A link is not followed.
  init?(_ name: String, in directory: PrivateDirectory) {
    var status = stat()
    guard unsafe fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    owner = status.st_uid
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
  }
}

import Glibc

/// Who connected, as the kernel recorded at `connect`; whoever holds the connection now may be another process.
struct Peer {
  let user: uid_t
  /// 0 where it cannot be seen from here.
  let process: pid_t

  /// Nil where the kernel does not say.
  init?(of descriptor: Int32) {
    var credentials = ucred()
    var size = socklen_t(MemoryLayout<ucred>.size)
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    guard result == 0, size == MemoryLayout<ucred>.size else { return nil }
    user = credentials.uid
    process = credentials.pid
  }
}

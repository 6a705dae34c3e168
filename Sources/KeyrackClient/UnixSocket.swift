import Glibc

/// Why a socket did not do what was asked.
enum SocketFailure: Error {
  /// The errno.
  case system(Int32)
  /// The deadline came first.
  case deadline
}

/// A connected Unix stream socket, closed when it is released. No call waits beyond its deadline.
final class UnixSocket {
  private let descriptor: Int32

  /// Waits where the server has more connections queued than it takes.
  init(path: String, deadline: ContinuousClock.Instant) throws(SocketFailure) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw .system(errno) }
    // All that a connect() to a Unix socket heeds for a limit. Nothing is sent without asking poll() first.
    let left = Self.milliseconds(until: deadline)
    var limit = timeval(tv_sec: Int(left / 1000), tv_usec: Int(left % 1000) * 1000)
    let length = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length) == 0 else { throw .system(errno) }
    var address = try Self.address(path)
    var result: Int32
    repeat {
      result = unsafe withUnsafePointer(to: &address) {
        let either = unsafe __CONST_SOCKADDR_ARG(__sockaddr_un__: $0)
        return unsafe connect(descriptor, either, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } while result != 0 && errno == EINTR
    guard result == 0 else { throw errno == EAGAIN ? .deadline : .system(errno) }
  }

  deinit { _ = close(descriptor) }

  /// The user that the program at the other end, or who listened for it, runs as.
  func peerUser() throws(SocketFailure) -> uid_t {
    var peer = ucred()
    var length = socklen_t(MemoryLayout<ucred>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { throw .system(errno) }
    return peer.uid
  }

  func send(_ bytes: [UInt8], deadline: ContinuousClock.Instant) throws(SocketFailure) {
    var sent = 0
    while sent < bytes.count {
      try wait(for: Int16(POLLOUT), deadline: deadline)
      let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
      }
      if count >= 0 {
        sent += count
      } else if errno != EAGAIN && errno != EINTR {
        throw .system(errno)
      }
    }
  }

  /// What has come by now, nothing at the end of input. Waits for the first byte.
  func receive(deadline: ContinuousClock.Instant) throws(SocketFailure) -> [UInt8] {
    while true {
      try wait(for: Int16(POLLIN), deadline: deadline)
      var bytes = [UInt8](repeating: 0, count: 16 * 1024)
      let flags = Int32(MSG_DONTWAIT)
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, flags) }
      if count >= 0 {
        bytes.removeSubrange(count...)
        return bytes
      }
      if errno != EAGAIN && errno != EINTR { throw .system(errno) }
    }
  }

  private func wait(for events: Int16, deadline: ContinuousClock.Instant) throws(SocketFailure) {
    while true {
      let left = Self.milliseconds(until: deadline)
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      let count = unsafe poll(&entry, 1, left)
      if count > 0 { return }
      if count < 0 && errno != EINTR { throw .system(errno) }
      if left == 0 { throw .deadline }
    }
  }

  private static func address(_ path: String) throws(SocketFailure) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    // One byte stays for the NUL that ends it.
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .system(ENAMETOOLONG) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    return address
  }

  /// Rounded up, so that a wait does not end before the deadline.
  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return 0 }
    let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
    return Int32(clamping: milliseconds)
  }
}

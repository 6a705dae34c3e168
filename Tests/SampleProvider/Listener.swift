import Glibc

/// A listening socket on 127.0.0.1.
struct Listener {
  private let descriptor: Int32
  let port: UInt16

  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
  }

  init(port wanted: UInt16) throws {
    (descriptor, port) = try Self.bound(to: wanted)
    guard listen(descriptor, SOMAXCONN) == 0 else { throw Failure("could not listen at 127.0.0.1:\(port)") }
  }

  /// A socket that has the port, and refuses connections as yet.
  private static func bound(to wanted: UInt16) throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("could not make a socket") }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr_in__: pointer), length) == 0
        && getsockname(descriptor, __SOCKADDR_ARG(__sockaddr_in__: pointer), &length) == 0
    }
    guard isBound else { throw Failure("could not have 127.0.0.1:\(wanted)") }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Refuses connections for a while, and keeps the port.
  func refuse(milliseconds: UInt32) throws {
    shutdown(descriptor, Int32(SHUT_RDWR))
    let (closed, _) = try Self.bound(to: port)
    dup3(closed, descriptor, O_CLOEXEC)
    close(closed)
    ServiceThread.start { [descriptor] in
      usleep(milliseconds * 1000)
      listen(descriptor, SOMAXCONN)
    }
  }

  /// Serves every connection on a thread of its own; `serve` closes it.
  func acceptForever(_ serve: @escaping @Sendable (Int32) -> Void) {
    while true {
      let client = accept4(descriptor, __SOCKADDR_ARG(__sockaddr__: nil), nil, Int32(SOCK_CLOEXEC.rawValue))
      if client >= 0 {
        ServiceThread.start { serve(client) }
      } else if [EMFILE, ENFILE, EINVAL].contains(errno) {
        // Too many files, or it refuses connections for now.
        usleep(10_000)
      }
    }
  }
}

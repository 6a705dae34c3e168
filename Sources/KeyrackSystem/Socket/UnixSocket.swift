import CSystemd
import Glibc

/// The calls of a Unix stream socket that take an address.
enum UnixSocket {
  /// -1 and `errno` where it fails, as for all of these.
  static func make() -> Int32 {
    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  }

  static func bind(_ descriptor: Int32, to path: String) -> Int32 {
    unsafe withAddress(path) { unsafe Glibc.bind(descriptor, $0, $1) }
  }

  static func connect(_ descriptor: Int32, to path: String) -> Int32 {
    unsafe withAddress(path) { unsafe Glibc.connect(descriptor, $0, $1) }
  }

  /// Nil for one that has no path: abstract, unnamed, or no Unix socket.
  static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: pointer), &size)
      }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let path = unsafe withUnsafeBytes(of: address.sun_path) { unsafe Array($0.prefix { $0 != 0 }) }
    return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
  }

  private static func withAddress(_ path: String, _ body: (__CONST_SOCKADDR_ARG, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      let bytes = path.utf8
      guard bytes.count < field.count else { return false }
      unsafe field.copyBytes(from: bytes)
      return true
    }
    guard isShort else {
      errno = ENAMETOOLONG
      return -1
    }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(__CONST_SOCKADDR_ARG(__sockaddr__: pointer), socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

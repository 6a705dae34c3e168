import CSystemd
import Glibc

/// A socket that listens on one address of the loopback interface.
struct LoopbackSocket {
  let descriptor: Int32
  let port: UInt16

  enum Family: CaseIterable {
    case ipv4
    case ipv6

    fileprivate var number: Int32 {
      switch self {
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      }
    }
  }

  enum Failure: Error {
    case portInUse
    /// The machine has no such address.
    case noFamily
    case failed(SystemError)
  }

  /// Port 0 is any that is free.
  init(_ family: Family, port: UInt16) throws(Failure) {
    let descriptor = socket(
      family.number, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw Self.failure(port) }
    self.descriptor = descriptor
    guard Self.prepare(descriptor, family, mayFollow: port != 0), Self.bind(descriptor, family, port) == 0,
      listen(descriptor, 128) == 0, let bound = Self.port(of: descriptor)
    else {
      let failure = Self.failure(port)
      close(descriptor)
      throw failure
    }
    self.port = bound
  }

  /// A port that was asked for by its number may still have connections of the last sign-in, in TIME_WAIT for a minute:
  /// without SO_REUSEADDR it could not be bound for so long. On Linux two sockets never listen on one port by it.
  private static func prepare(_ descriptor: Int32, _ family: Family, mayFollow: Bool) -> Bool {
    (family != .ipv6 || set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY))
      && (!mayFollow || set(descriptor, SOL_SOCKET, SO_REUSEADDR))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) -> Bool {
    var on: Int32 = 1
    return unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size)) == 0
  }

  private static func failure(_ port: UInt16) -> Failure {
    switch errno {
    case EADDRINUSE: .portInUse
    case EAFNOSUPPORT, EADDRNOTAVAIL: .noFamily
    case let code: .failed(SystemError("listen on loopback port \(port)", code: code))
    }
  }
}

extension LoopbackSocket {
  private static func bind(_ descriptor: Int32, _ family: Family, _ port: UInt16) -> Int32 {
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      return bind(descriptor, &address)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return bind(descriptor, &address)
    }
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.bind(
          descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: pointer), socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    // The port is at the same place in both families.
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: pointer), &size)
      }
    }
    return result == 0 ? UInt16(bigEndian: address.sin6_port) : nil
  }
}

import CSystemd
import Glibc
import KeyrackCore
import KeyrackSystem
import Synchronization

/// A loopback listener on a loop of its own, and what its receiver was given.
final class CallbackFixture: Sendable {
  let thread: LoopThread
  let listener: LoopbackListener
  private let log = ReceiverLog()

  /// The receiver answers what `decide` says, by default that the sign-in worked.
  init(
    limits: CallbackLimits = CallbackLimits(),
    decide: @escaping @Sendable (AuthorizationResponse) async -> CallbackPage = { _ in .signedIn }
  ) async throws {
    thread = try await LoopThread()
    let log = log
    listener = LoopbackListener(on: thread.loop, limits: limits) { response, redirectURI in
      log.note(response, redirectURI)
      return await decide(response)
    }
  }

  var received: [AuthorizationResponse] { log.entries.map { $0.0 } }
  var redirectURIs: [String] { log.entries.map { $0.1 } }

  /// Opens one, and returns its port.
  func open(_ text: String = "http://127.0.0.1:{port}/callback", ports: [UInt16] = []) async throws -> UInt16 {
    let uri = try await listener.open(RedirectURI(text, ports: ports))
    let digits = uri.drop { $0 != "/" }.reversed().drop { $0 != "/" }.dropFirst().prefix { $0 != ":" }
    return UInt16(String(digits.reversed())) ?? 0
  }

  /// Sends `text` and returns all that comes until the end.
  func exchange(_ port: UInt16, _ text: String) async throws -> String {
    try await onThread {
      let client = try BrowserConnection(port)
      try? client.send(text)
      return client.rest()
    }
  }

  /// `GET` with the right `Host`.
  func get(_ port: UInt16, _ target: String) async throws -> String {
    try await exchange(port, "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
  }
}

private final class ReceiverLog: Sendable {
  private let state = Mutex([(AuthorizationResponse, String)]())
  func note(_ response: AuthorizationResponse, _ redirectURI: String) {
    state.withLock { $0.append((response, redirectURI)) }
  }
  var entries: [(AuthorizationResponse, String)] { state.withLock { $0 } }
}

/// A raw TCP connection to loopback, with blocking calls.
final class BrowserConnection: Sendable {
  let descriptor: Int32

  init(_ port: UInt16, ipv6: Bool = false) throws {
    descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard Self.connect(descriptor, port, ipv6) == 0 else {
      let code = errno
      close(descriptor)
      throw SystemError("connect", code: code)
    }
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 { throw SystemError("send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  func shutDownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What comes until the end, a reset, or 20 s.
  func rest() -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = recv(descriptor, &part, part.count, 0)
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += part[..<count]
    }
  }

  private static func connect(_ descriptor: Int32, _ port: UInt16, _ ipv6: Bool) -> Int32 {
    if ipv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return connect(descriptor, &address)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return connect(descriptor, &address)
  }

  private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}

/// A gate that a test opens.
final class Gate: Sendable {
  private let state = Mutex((isOpen: false, waiters: [CheckedContinuation<Void, Never>]()))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

  func open() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isOpen = true
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

import CSystemd
import Glibc
import KeyrackSystem

/// A client with blocking calls. To be used on a thread, see ``onThread(_:)``.
final class TestClient: Sendable {
  let descriptor: Int32

  /// `receiveBuffer` is in bytes, for a client that takes little at a time.
  init(_ path: String, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard withSocketAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      throw SystemError("connect to \(path)", code: code)
    }
  }

  deinit { Glibc.close(descriptor) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 { throw SystemError("send", code: errno) }
      rest.removeFirst(count)
    }
  }

  func shutDownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// One receive; empty at the end of input.
  func receive(atMost capacity: Int = 1 << 20) throws -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let result = recv(descriptor, buffer.baseAddress, capacity, 0)
      if result < 0 { code = errno }
      count = max(0, result)
    }
    if code != 0 { throw SystemError("receive", code: code) }
    return bytes
  }

  func line() throws -> String {
    var bytes: [UInt8] = []
    while true {
      let byte = try receive(atMost: 1)
      if byte.isEmpty || byte == [10] { return String(decoding: bytes, as: UTF8.self) }
      bytes += byte
    }
  }

  func lines(_ count: Int) throws -> [String] { try (0..<count).map { _ in try line() } }

  /// What comes until the daemon closes.
  func rest() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let more = try receive()
      if more.isEmpty { return bytes }
      bytes += more
    }
  }

  func ask(_ text: String) throws -> String {
    try send(text + "\n")
    return try line()
  }
}

func withSocketAddress(_ path: String, _ body: (__CONST_SOCKADDR_ARG, socklen_t) -> Int32) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body(__CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

/// Runs what blocks where it stalls no task.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    do { try Thread.start("test-client") { continuation.resume(with: Result { try body() }) } } catch {
      continuation.resume(throwing: error)
    }
  }
}

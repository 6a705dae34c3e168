import Glibc
package import KeyrackProtocol

/// A connection to the daemon's socket, as a program without a library has it. Calls that have to wait do so on threads of their own.
package final class Wire: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  let descriptor: Int32

  package init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // What throws here is closed by deinit.
    guard result == 0 else { throw Failure(description: "could not connect to \(path): error \(errno)") }
    // No test waits for ever.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends bytes as they are.
  package func send(_ bytes: [UInt8]) async throws {
    let descriptor = descriptor
    let taken = max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)))
    if taken == bytes.count { return }
    try await BlockingThread.run {
      var sent = taken
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent) }
        guard count > 0 else { throw Failure(description: "could not send: error \(errno)") }
        sent += count
      }
    }
    withExtendedLifetime(self) {}
  }

  package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Says that nothing more will be sent.
  package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next line without its end, nil at the end of input.
  package func line() async throws -> String? {
    if let line = lineAtHand() { return String(decoding: line, as: UTF8.self) }
    let descriptor = descriptor
    let line = try await BlockingThread.run {
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while true {
        switch read(descriptor, &byte, 1) {
        case 1 where byte == UInt8(ascii: "\n"): return Optional(bytes)
        case 1: bytes.append(byte)
        case 0: return bytes.isEmpty ? nil : bytes
        default:
          if errno == ECONNRESET { return nil }
          throw Failure(description: "nothing came: error \(errno)")
        }
      }
    }
    withExtendedLifetime(self) {}
    return line.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Without a thread, which a test with hundreds of connections would have to make for each.
  private func lineAtHand() -> ArraySlice<UInt8>? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_PEEK))
    guard let end = bytes.prefix(max(0, count)).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    recv(descriptor, &bytes, end + 1, 0)
    return bytes[..<end]
  }

  /// The answer to an operation. Throws its `ReplyError` where it failed.
  package func call<O: KeyrackProtocol.Operation>(_ operation: O) async throws -> O.Reply {
    try await send(operation.line())
    guard let line = try await line() else { throw Failure(description: "the daemon closed the connection") }
    return try Reply<O.Reply>(line: line.utf8).result.get()
  }
}

import Glibc

/// One request to a server on 127.0.0.1 and its answer, over a connection of its own.
package enum LoopbackHTTP {
  package struct Answer: Sendable {
    package let status: Int
    /// By lower-case name; the last of one that is repeated.
    package let headers: [String: String]
    package let body: String
  }

  /// No answer, or not a whole one.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }

  /// Blocks a thread of its own, not the caller's.
  package static func send(
    _ method: String, _ path: String, port: UInt16, headers: [String: String] = [:], body: String = ""
  ) async throws -> Answer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    return try await send(head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body, port: port)
  }

  /// Sends a request as it is written there.
  package static func send(_ text: String, port: UInt16) async throws -> Answer {
    let request = Array(text.utf8)
    return try await withCheckedThrowingContinuation { continuation in
      BlockingThread.start { continuation.resume(with: Result { try exchange(request, port: port) }) }
    }
  }

  /// Percent-encodes everything but RFC 3986's unreserved characters.
  package static func escape(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character)) {
        result.append(character)
      } else {
        result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  private static func exchange(_ request: [UInt8], port: UInt16) throws -> Answer {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr_in__: $0), socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
    guard isConnected else { throw Failure("could not connect to port \(port): \(String(cString: strerror(errno)))") }
    var rest = request[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure("the connection was closed") }
      rest = rest.dropFirst(count)
    }
    return try answer(in: readToEnd(descriptor))
  }

  private static func readToEnd(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  private static func answer(in text: String) throws -> Answer {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    let headers = Dictionary(
      lines.dropFirst().map { line in
        let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (pair[0].lowercased(), pair.count > 1 ? String(pair[1].drop { $0 == " " }) : "")
      }, uniquingKeysWith: { $1 })
    let length = headers["content-length"].flatMap { Int($0) }
    guard parts.count == 2, let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
      parts[1].utf8.count == length ?? 0
    else { throw Failure("the connection was closed before the end of the answer: \(lines)") }
    return Answer(status: status, headers: headers, body: String(parts[1]))
  }
}

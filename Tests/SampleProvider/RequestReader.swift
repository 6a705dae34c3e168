import Glibc

/// Takes requests off a connection. Bodies have a `Content-Length`; a chunked one is answered 411.
struct RequestReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  enum Next {
    case request(HTTPRequest)
    /// The status to answer with before the connection is closed.
    case malformed(Int)
    case end
  }

  private static let longestHead = 64 << 10
  private static let longestBody = 8 << 20

  init(descriptor: Int32) { self.descriptor = descriptor }

  mutating func next() -> Next {
    while true {
      if let end = endOfHead() { return readRequest(headEnd: end) }
      if buffer.count > Self.longestHead { return .malformed(431) }
      guard fill() else { return .end }
    }
  }

  private mutating func readRequest(headEnd: Int) -> Next {
    guard var request = HTTPRequest(head: buffer[..<headEnd]) else { return .malformed(400) }
    if request.headers["transfer-encoding"] != nil { return .malformed(411) }
    guard let length = Int(request.headers["content-length"] ?? "0"), length >= 0 else { return .malformed(400) }
    if length > Self.longestBody { return .malformed(413) }
    let end = headEnd + 4 + length
    while buffer.count < end {
      guard fill() else { return .end }
    }
    request.body = Array(buffer[(headEnd + 4)..<end])
    buffer.removeFirst(end)
    return .request(request)
  }

  private func endOfHead() -> Int? {
    guard buffer.count >= 4 else { return nil }
    return (0...(buffer.count - 4)).first { buffer[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
  }

  private mutating func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
        return true
      }
      guard count < 0, errno == EINTR else { return false }
    }
  }
}

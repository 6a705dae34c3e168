import FoundationEssentials
import KeyrackProtocol

/// A connection's whole input, which comes in pieces. The first byte says how long these are.
enum RequestFuzz {
  static func run(_ input: [UInt8]) throws {
    let stream = input.dropFirst()
    let whole = read(stream, pieces: max(1, stream.count))
    let parts = read(stream, pieces: Int(input.first ?? 0) + 1)
    try require(whole == parts, "the lines depend on the pieces that they come in")
    let reader = RequestReader()
    for line in whole {
      try judge(line, reader)
      // It may be remembered now.
      try judge(line, reader)
    }
  }

  private static func read(_ stream: ArraySlice<UInt8>, pieces: Int) -> [[UInt8]] {
    var buffer = LineBuffer(maximumLength: 1024)
    var lines: [[UInt8]] = []
    var rest = stream
    while true {
      buffer.append(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      reading: while true {
        switch buffer.next(atEnd: rest.isEmpty) {
        case .line(let line): lines.append(line)
        case .tooLong: return lines
        case .incomplete: break reading
        }
      }
      if rest.isEmpty { return lines }
    }
  }

  private static func judge(_ line: [UInt8], _ reader: RequestReader) throws {
    var left = line
    let request: Request
    do throws(RequestError) { request = try reader.read(&left) } catch {
      try require([.badRequest, .unknownOperation].contains(error.error.code), "refused as \(error.error.code)")
      return try checkReply(Reply(id: error.id, result: .failure(error.error)))
    }
    try require(left.count == line.count, "a line has changed its length")
    try checkReply(Reply(id: request.id, result: .success(version)))
  }

  private static let version = VersionOperation.Reply(name: "", version: "", protocol: 1, operations: [])

  /// Whoever gets it reads the same, in one line.
  private static func checkReply(_ reply: Reply<VersionOperation.Reply>) throws {
    let line = reply.line()
    try require(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1, "a reply is not one line")
    try require(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7F }, "a reply has a control character")
    _ = try JSONScan(Array(line.dropLast()))
    let again = try Reply<VersionOperation.Reply>(line: line)
    try require(again.id == reply.id, "a reply has another id than its request")
    if case .failure(let error) = reply.result, case .failure(let read) = again.result {
      try require(read == error, "a reply says something else than it should")
    }
  }
}

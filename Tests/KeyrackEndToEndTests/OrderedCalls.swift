import FoundationEssentials
import KeyrackProtocol
import TestSupport
import Testing

/// Requests over one connection, some of them sent without waiting. The tokens that came are kept in the order of lines.
final class OrderedCalls {
  private let wire: Wire
  private var lastNumber: Int64 = 0
  private var underWay = 0
  private var tokens: [String] = []

  private struct Line: Decodable {
    let id: Int64
    let accessToken: String?

    private enum CodingKeys: String, CodingKey {
      case id
      case accessToken = "access_token"
    }
  }

  init(_ socket: String) throws { wire = try Wire(socket) }

  /// Sends a request and does not wait for its reply.
  func send(_ operation: some KeyrackProtocol.Operation) async throws {
    lastNumber += 1
    underWay += 1
    try await wire.send(operation.line(id: .number(lastNumber)))
  }

  /// Sends a request and reads up to its reply.
  func reply<O: KeyrackProtocol.Operation>(to operation: O) async throws -> O.Reply {
    try await send(operation)
    let number = lastNumber
    while true {
      let (id, line) = try await next()
      if id == number { return try Reply<O.Reply>(line: line.utf8).result.get() }
    }
  }

  /// Reads one reply, where one is due. The newest token that has come.
  func newestToken() async throws -> String? {
    if underWay > 0 { _ = try await next() }
    return tokens.last
  }

  /// Reads all replies that are due.
  func rest() async throws {
    while underWay > 0 { _ = try await next() }
  }

  /// What came since the last call.
  func takeTokens() -> [String] {
    defer { tokens = [] }
    return tokens
  }

  private func next() async throws -> (Int64, String) {
    let text = try #require(try await wire.line(), "the daemon hung up")
    let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
    underWay -= 1
    if let token = line.accessToken { tokens.append(token) }
    return (line.id, text)
  }
}

import KeyrackSystem
import Testing

/// What a client gets of one turn of the loop.
@Suite(.timeLimit(.minutes(1)))
struct SocketServerTurnTests {
  @Test func repliesOfOneTurnLeaveInOnePiece() async throws {
    var limits = ConnectionLimits()
    limits.linesOfATurn = 100
    let fixture = try await ServerFixture(limits: limits)
    let piece = try await fixture.client { client in
      try client.send((0..<100).map { "echo \($0)\n" }.joined())
      return try client.receive()
    }
    #expect(String(decoding: piece, as: UTF8.self) == (0..<100).map { "\($0)\n" }.joined())
  }

  @Test func manyLinesOfOneClientLetAnotherHaveItsTurn() async throws {
    let fixture = try await ServerFixture()
    let (greedy, other) = (try fixture.connect(), try fixture.connect())
    #expect(try await onThread { [try greedy.ask("echo a"), try other.ask("echo b")] } == ["a", "b"])
    // Both have come before the loop is back to look.
    try await fixture.thread.run { _ in
      try? greedy.send((0..<16).map { "hold \($0)\n" }.joined())
      try? other.send("held\n")
    }
    let held = try await onThread { try other.line() }
    #expect(held == "\(ConnectionLimits().linesOfATurn)")
    let replies = try await onThread {
      for number in 0..<16 { _ = try other.ask("release \(number)") }
      return try greedy.lines(16)
    }
    #expect(Set(replies) == Set((0..<16).map(String.init)))
  }
}

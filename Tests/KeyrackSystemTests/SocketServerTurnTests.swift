import KeyrackSystem
import Testing

/// What a client gets of one turn of the loop.
@Suite(.timeLimit(.minutes(1)))
struct SocketServerTurnTests {
  @Test func repliesOfOneTurnLeaveInOnePiece() async throws {
    var limits = ConnectionLimits()
    limits.linesAlone = 100
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
    // Which of them the kernel names first is its own affair.
    #expect(Int(held) ?? .max <= ConnectionLimits().linesOfATurn)
    let replies = try await onThread {
      for number in 0..<16 { _ = try other.ask("release \(number)") }
      return try greedy.lines(16)
    }
    #expect(Set(replies) == Set((0..<16).map(String.init)))
  }

  @Test func whoAsksDuringATurnComesBeforeTheNextTurnOfTheSameClient() async throws {
    let fixture = try await ServerFixture()
    let (greedy, other) = (try fixture.connect(), try fixture.connect())
    #expect(try await onThread { [try greedy.ask("echo a"), try other.ask("echo b")] } == ["a", "b"])
    let turn = ConnectionLimits().linesOfATurn
    // In its second turn: the first is that of what it has just sent.
    fixture.responder.atLine(2 + turn + 1) { try? other.send("held\n") }
    try greedy.send((0..<16).map { "hold \($0)\n" }.joined())
    #expect(try await onThread { try other.line() } == "\(2 * turn)")
  }

  @Test func whatFollowsALineThatIsTooLongLetsAnotherHaveItsTurn() async throws {
    let fixture = try await ServerFixture()
    let other = try fixture.connect()
    #expect(try await onThread { try other.ask("echo a") } == "a")
    let answers = try await onThread { [path = fixture.path] in
      try (0..<50).map { number in
        let greedy = try TestClient(path)
        // All that the kernel takes: the daemon closes before it has read that.
        try? greedy.send([UInt8](repeating: 0x78, count: 1 << 20))
        let answer = try other.ask("echo \(number)")
        // An end, and no reset.
        return answer + String(decoding: try greedy.rest(), as: UTF8.self)
      }
    }
    for (number, answer) in answers.enumerated() {
      #expect(answer.hasPrefix("\(number)"))
      #expect(answer.contains("line_too_long"))
    }
  }
}

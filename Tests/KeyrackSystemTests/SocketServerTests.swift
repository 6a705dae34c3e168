import Glibc
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SocketServerTests {
  @Test(arguments: [
    ("echo a\n", "a\n"), ("echo a\r\n", "a\n"), ("\n \n\t\necho a\n\n", "a\n"), ("echo a", "a\n"),
    ("echo a\necho b", "a\nb\n"), ("", ""), ("\n", ""),
  ])
  func answersEachLineThenCloses(_ input: String, _ output: String) async throws {
    let fixture = try await ServerFixture()
    let answer = try await fixture.client { client in
      try client.send(input)
      client.shutDownWriting()
      return try client.rest()
    }
    #expect(String(decoding: answer, as: UTF8.self) == output)
  }

  @Test func aClientThatHasShutDownItsWritingSideGetsItsLateReplies() async throws {
    let fixture = try await ServerFixture()
    let early = try fixture.connect()
    try early.send("hold 1\nhold 2")
    early.shutDownWriting()
    let released = try await fixture.client { other in
      while try other.ask("held") != "2" {}
      return [try other.ask("release 2"), try other.ask("release 1")]
    }
    #expect(released == ["released 2", "released 1"])
    #expect(try await onThread { try early.rest() } == Array("2\n1\n".utf8))
  }

  @Test func repliesMayComeInAnotherOrder() async throws {
    let fixture = try await ServerFixture()
    let lines = try await fixture.client { client in
      try client.send("hold 1\nhold 2\nrelease 2\nrelease 1\n")
      return try client.lines(4)
    }
    #expect(lines == ["2", "released 2", "1", "released 1"])
  }

  @Test func takesALineByteByByte() async throws {
    let fixture = try await ServerFixture()
    let answer = try await fixture.client { client in
      for byte in "echo abc\n".utf8 { try client.send([byte]) }
      return try client.line()
    }
    #expect(answer == "abc")
    #expect(fixture.responder.lines == 1)
  }

  @Test func takesALineOf64KiB() async throws {
    let fixture = try await ServerFixture()
    let line = "length ".padded(to: LineBuffer.maximumLength)
    #expect(try await fixture.client { try $0.ask(line) } == "65536")
  }

  @Test(arguments: [LineBuffer.maximumLength + 1, 1_000_000])
  func answersALongerLineAndCloses(_ length: Int) async throws {
    let fixture = try await ServerFixture()
    let answer = try await fixture.client { client in
      // Where it is much longer, the daemon closes before all is sent.
      try? client.send("echo a\n" + "length ".padded(to: length) + "\necho b\n")
      return try client.rest()
    }
    let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first == "a")
    #expect(lines.last?.contains(#""code":"line_too_long""#) == true)
  }

  @Test func handsOutSixteenRequestsOfAConnectionAtMost() async throws {
    let fixture = try await ServerFixture()
    let greedy = try fixture.connect()
    try greedy.send((0..<40).map { "hold \($0)\n" }.joined())
    let held = try await fixture.client { other in
      while try other.ask("held") != "16" {}
      _ = try other.ask("release 3")
      let afterOne = try other.ask("held")
      for number in 0..<40 { _ = try other.ask("release \(number)") }
      return [afterOne, try other.ask("held")]
    }
    #expect(held == ["16", "0"])
    let replies = try await onThread { try greedy.lines(40) }
    #expect(Set(replies) == Set((0..<40).map(String.init)))
  }

  @Test func aClientThatNeverReadsIsNotReadFromAndDisturbsNobody() async throws {
    let fixture = try await ServerFixture()
    let mute = try fixture.connect()
    try mute.send(String(repeating: "big 100000\n", count: 200))
    let echoes = try await fixture.client { other in
      try (0..<100).map { try other.ask("echo \($0)") }
    }
    #expect(echoes == (0..<100).map(String.init))
    // A few fill the kernel's buffer, a few ours.
    #expect(fixture.responder.lines < 100 + 20)
    let total = try await onThread {
      mute.shutDownWriting()
      return try mute.rest().count
    }
    #expect(total == 200 * 100_001)
  }

  @Test func aSlowReaderGetsEveryByte() async throws {
    let fixture = try await ServerFixture()
    let total = try await fixture.client { client in
      try client.send("big 3000000\necho end\n")
      client.shutDownWriting()
      var bytes = 0
      while true {
        let piece = try client.receive(atMost: 4096)
        if piece.isEmpty { return bytes }
        bytes += piece.count
      }
    }
    #expect(total == 3_000_001 + 4)
  }

  @Test func servesManyConnections() async throws {
    let fixture = try await ServerFixture()
    let answers = try await onThread { [path = fixture.path] in
      let clients = try (0..<300).map { _ in try TestClient(path) }
      for (number, client) in clients.enumerated() { try client.send("echo \(number)\n") }
      return try clients.map { try $0.line() }
    }
    #expect(answers == (0..<300).map(String.init))
  }

  @Test func aReplyToAClientThatHasGoneIsDropped() async throws {
    let fixture = try await ServerFixture()
    _ = try await fixture.client { client in try client.send("hold 1\n") }
    let answers = try await fixture.client { other in
      while try other.ask("held") != "1" {}
      return [try other.ask("release 1"), try other.ask("echo still here")]
    }
    #expect(answers == ["released 1", "still here"])
  }

  @Test func requestsOfAClientThatHasGoneWereHandedOut() async throws {
    let fixture = try await ServerFixture()
    _ = try await fixture.client { client in try client.send("echo 1\necho 2\n") }
    while fixture.responder.lines < 2 { try await fixture.thread.sleep(.milliseconds(1)) }
    while await fixture.server.count > 0 { try await fixture.thread.sleep(.milliseconds(1)) }
  }

  @Test func aClientThatHangsUpWhileItIsNotReadIsClosed() async throws {
    let fixture = try await ServerFixture()
    _ = try await fixture.client { client in try client.send((0..<20).map { "hold \($0)\n" }.joined()) }
    try await fixture.client { other in while try other.ask("held") != "16" {} }
    while await fixture.server.count > 0 { try await fixture.thread.sleep(.milliseconds(1)) }
  }

  /// Only root is told anything; see OtherUserTests for the others.
  @Test func anotherUserIsNotServed() async throws {
    let fixture = try await ServerFixture(owner: geteuid() + 1)
    let answer = try await fixture.client { client in
      try? client.send("echo a\n")
      return try? client.rest()
    }
    if geteuid() != 0 { #expect(answer == nil || answer == []) }
    #expect(fixture.responder.lines == 0)
  }

  @Test(arguments: [\ConnectionLimits.connections, \.connectionsOfAProcess])
  func aConnectionTooManyIsToldBusy(_ limit: any WritableKeyPath<ConnectionLimits, Int> & Sendable) async throws {
    var limits = ConnectionLimits()
    limits[keyPath: limit] = 2
    let fixture = try await ServerFixture(limits: limits)
    let answer = try await onThread { [path = fixture.path] in
      let first = try TestClient(path)
      let second = try TestClient(path)
      _ = try (first.ask("echo a"), second.ask("echo a"))
      let third = try TestClient(path)
      let refused = String(decoding: try third.rest(), as: UTF8.self)
      return [refused, try first.ask("echo 1"), try second.ask("echo 2")]
    }
    #expect(answer[0].contains(#""code":"busy""#))
    #expect(answer[0].hasSuffix("\n"))
    #expect(answer[1...] == ["1", "2"])
  }

  @Test func acceptingRestsWhenDescriptorsHaveRunOut() async throws {
    let calls = Atomic(0)
    var limits = ConnectionLimits()
    limits.acceptPause = .milliseconds(50)
    let fixture = try await ServerFixture(limits: limits) { listener in
      if calls.add(1, ordering: .relaxed).oldValue > 2 { return SocketServer.accept(listener) }
      errno = EMFILE
      return -1
    }
    let start = ContinuousClock.now
    #expect(try await fixture.client { try $0.ask("echo a") } == "a")
    #expect(ContinuousClock.now - start > .milliseconds(140))
    #expect(calls.load(ordering: .relaxed) <= 5)
  }
}

extension String {
  fileprivate func padded(to length: Int) -> String { self + String(repeating: "x", count: length - utf8.count) }
}

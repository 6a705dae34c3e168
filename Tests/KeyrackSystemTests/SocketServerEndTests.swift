import CSystemd
import Glibc
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SocketServerDeadlineTests {
  private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
    var limits = ConnectionLimits()
    limits.tolerance = .milliseconds(5)
    change(&limits)
    return limits
  }

  @Test func aLineThatIsNotFinishedInTimeEndsItsConnection() async throws {
    let fixture = try await ServerFixture(limits: limits { $0.line = .milliseconds(50) })
    let answer = try await fixture.client { client in
      try client.send("echo a\necho b")
      return try client.rest()
    }
    #expect(answer == Array("a\n".utf8))
  }

  @Test func anIdleConnectionIsClosed() async throws {
    let fixture = try await ServerFixture(limits: limits { $0.idle = .milliseconds(50) })
    let answer = try await fixture.client { client in
      try client.send("echo a\n")
      return try client.rest()
    }
    #expect(answer == Array("a\n".utf8))
  }

  /// Otherwise whoever sends without end would be back at once, and again.
  @Test func whoIsCutOffMayStayForAWhile() async throws {
    let fixture = try await ServerFixture(limits: limits { $0.cutOff = .seconds(60) })
    let other = try fixture.connect()
    try await fixture.client { greedy in
      try greedy.send([UInt8](repeating: 0x78, count: 70_000))
      #expect(try greedy.line().contains("line_too_long"))
      #expect(try other.ask("echo a") == "a")
      var byte: UInt8 = 0
      #expect(recv(greedy.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
    }
    // The other is left.
    while await fixture.server.count > 1 { try await fixture.thread.sleep(.milliseconds(1)) }
  }

  @Test func aConnectionWithARequestUnderWayIsNotIdle() async throws {
    let fixture = try await ServerFixture(limits: limits { $0.idle = .milliseconds(30) })
    let patient = try fixture.connect()
    try patient.send("hold 1\n")
    try await fixture.thread.sleep(.milliseconds(200))
    #expect(try await fixture.client { try $0.ask("release 1") } == "released 1")
    #expect(try await onThread { try patient.rest() } == Array("1\n".utf8))
  }

  @Test func aClientThatTakesNothingIsClosed() async throws {
    let fixture = try await ServerFixture(limits: limits { $0.write = .milliseconds(50) })
    let mute = try fixture.connect()
    try mute.send("big 5000000\n")
    while fixture.responder.lines == 0 { try await fixture.thread.sleep(.milliseconds(1)) }
    while await fixture.server.count > 0 { try await fixture.thread.sleep(.milliseconds(1)) }
    let total = try await onThread { try mute.rest().count }
    #expect(total < 5_000_000)
  }
}

@Suite(.timeLimit(.minutes(1)))
struct SocketServerDrainTests {
  @Test func writesOutstandingRepliesThenReturns() async throws {
    let fixture = try await ServerFixture()
    let waiting = try fixture.connect()
    let idle = try fixture.connect()
    try waiting.send("hold 1\necho 2\n")
    #expect(try await onThread { try waiting.line() } == "2")
    _ = try await onThread { try idle.ask("echo a") }
    async let drained: Void = fixture.server.drain(until: .now + .seconds(30))
    // The idle one goes at once, without waiting for the other.
    #expect(try await onThread { try idle.rest() } == [])
    try await fixture.thread.run { [responder = fixture.responder] _ in
      responder.respond(to: Array("release 1".utf8), from: .unknown, send: AnswerSink { _ in true })
    }
    await drained
    #expect(try await onThread { try waiting.rest() } == Array("1\n".utf8))
    #expect(await fixture.server.count == 0)
  }

  @Test func whoHasJustConnectedMayStillAsk() async throws {
    var limits = ConnectionLimits()
    limits.firstRequest = .seconds(20)
    let fixture = try await ServerFixture(limits: limits)
    let new = try fixture.connect()
    while await fixture.server.count == 0 { try await fixture.thread.sleep(.milliseconds(1)) }
    async let drained: Void = fixture.server.drain(until: .now + .seconds(30))
    #expect(try await onThread { try new.ask("echo a") } == "a")
    await drained
    #expect(try await onThread { try new.rest() } == [])
  }

  @Test func closesWhatIsLeftAtTheDeadline() async throws {
    let fixture = try await ServerFixture()
    let waiting = try fixture.connect()
    try waiting.send("hold 1\n")
    while fixture.responder.lines == 0 { try await fixture.thread.sleep(.milliseconds(1)) }
    await fixture.server.drain(until: .now + .milliseconds(50))
    #expect(try await onThread { try waiting.rest() } == [])
  }

  @Test func acceptsNobodyAfterwards() async throws {
    let fixture = try await ServerFixture()
    await fixture.server.drain(until: .now)
    #expect(throws: SystemError.self) { try fixture.connect() }
  }
}

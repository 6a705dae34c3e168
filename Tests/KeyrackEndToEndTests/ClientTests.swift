import TestSupport
import KeyrackClient
import KeyrackProtocol
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ClientTests {
  private static let canceled = #"{"ok":true,"account":"work","canceled":true}"#

  private func withDaemon<T: Sendable>(
    _ steps: [ScriptedDaemon.Step], _ body: @escaping @Sendable (Client) throws -> T
  ) async throws -> T {
    let daemon = try ScriptedDaemon(steps)
    defer { daemon.stop() }
    let path = daemon.path
    return try await BlockingThread.run { try body(Client(path: path)) }
  }

  @Test func severalCallsGoOverOneConnection() async throws {
    let second = Self.canceled.replacing("true}", with: "false}")
    let answers = try await withDaemon([.reply(Self.canceled), .reply(second)]) { client in
      [try client.call(CancelOperation(account: "work")), try client.call(CancelOperation(account: "work"))]
    }
    #expect(answers.map(\.canceled) == [true, false])
  }

  @Test func aRefusalIsThrownAndTheConnectionGoesOn() async throws {
    let refusal = #"{"ok":false,"error":{"code":"unknown_account","message":"no","retryable":false}}"#
    try await withDaemon([.reply(refusal), .reply(Self.canceled)]) { client in
      let error = #expect(throws: ReplyError.self) { try client.call(CancelOperation(account: "x")) }
      #expect(error?.code == .unknownAccount)
      let canceled = try client.call(CancelOperation(account: "work")).canceled
      #expect(canceled)
    }
  }

  private static let stopping = #"{"ok":false,"error":{"code":"shutting_down","message":"no","retryable":true}}"#

  @Test(arguments: [ScriptedDaemon.Step.reply(stopping), .close])
  func whatOnlyAsksIsAskedAgainOfTheNextDaemon(_ end: ScriptedDaemon.Step) async throws {
    let version = #"{"ok":true,"name":"keyrackd","version":"9","protocol":1,"operations":[]}"#
    let reply = try await withDaemon([end, end, .reply(version)]) { client in try client.call(VersionOperation()) }
    #expect(reply.version == "9")
  }

  @Test func aDaemonThatGoesIsWaitedForUntilTheNextOneAnswers() async throws {
    let subscribed = #"{"ok":true,"accounts":[]}"#
    try await withDaemon([.replyAndClose(subscribed + "\n"), .close, .reply(Self.stopping), .reply(subscribed)]) {
      client in
      _ = try client.call(SubscribeOperation())
      #expect(throws: ClientError.connectionLost(path: client.path)) { try client.nextEvent() }
      let (next, answer) = try client.successor(answering: SubscribeOperation(), before: .now + .seconds(20))
      #expect((try? answer.result.get().accounts) == [])
      #expect(try next.nextEvent(before: .now) == nil)
    }
  }

  @Test func aDaemonThatStaysAwayIsGivenUpAtTheDeadline() async throws {
    let daemon = try ScriptedDaemon([.close])
    let client = try Client(path: daemon.path)
    daemon.stop()
    let deadline = ContinuousClock.now + .milliseconds(150)
    #expect(throws: ClientError.notRunning(path: client.path)) {
      try client.successor(answering: SubscribeOperation(), before: deadline)
    }
    #expect(deadline <= .now && .now < deadline + .seconds(2))
  }

  @Test func whatChangesSomethingIsNotSentTwice() async throws {
    try await withDaemon([.reply(Self.stopping), .reply(Self.canceled)]) { client in
      let error = #expect(throws: ReplyError.self) { try client.call(CancelOperation(account: "work")) }
      #expect(error?.code == .shuttingDown)
    }
    _ = try await withDaemon([.close, .reply(Self.canceled)]) { client in
      #expect(throws: ClientError.connectionLost(path: client.path)) {
        try client.call(CancelOperation(account: "work"))
      }
    }
  }

  @Test func aCallThatHangsEndsAtItsLimitAndNoLateReplyIsTakenForAnother() async throws {
    try await withDaemon([.silence]) { client in
      #expect(throws: ClientError.noAnswer(path: client.path, seconds: 0)) {
        try client.call(StatusOperation(), within: .milliseconds(20))
      }
      #expect(throws: ClientError.connectionLost(path: client.path)) {
        try client.call(CancelOperation(account: "work"))
      }
    }
  }

  @Test func aPathThatIsTooLongIsSaidSo() {
    let path = "/" + String(repeating: "x", count: 108)
    #expect(throws: ClientError.cannotConnect(path: path, reason: "File name too long")) { try Client(path: path) }
    // One byte less than the address holds: only nobody listens.
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(throws: ClientError.notRunning(path: longest)) { try Client(path: longest) }
  }
}

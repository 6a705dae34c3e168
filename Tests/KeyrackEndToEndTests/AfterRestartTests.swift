import KeyrackClient
import KeyrackProtocol
import TestSupport
import Testing

@testable import keyrack

/// How long `keyrack watch` and `keyrack wait` hold out where no daemon comes back.
@Suite(.timeLimit(.minutes(1))) struct AfterRestartTests {
  private func giveUp(
    _ daemon: ScriptedDaemon, stopped: Bool, before deadline: ContinuousClock.Instant? = nil
  ) async throws -> any Error {
    try await BlockingThread.run {
      let client = try Client(path: daemon.path)
      if stopped { daemon.stop() }
      let error = #expect(throws: (any Error).self) {
        try client.afterRestart(answering: SubscribeOperation(), before: deadline, patience: .seconds(1))
      }
      return try #require(error)
    }
  }

  @Test func whereNobodyComesTheyGiveUpInTheEndWithStatus7() async throws {
    let daemon = try ScriptedDaemon([])
    let begin = ContinuousClock.now
    let failure = try #require(try await giveUp(daemon, stopped: true) as? CommandFailure)
    #expect(.now - begin >= .seconds(1))
    #expect(failure.status == 7)
    #expect(failure.message == "gave up after 1 s: keyrackd is not running: nobody listens on \(daemon.path)")
    #expect(failure.hint == "systemctl --user start keyrack.socket, or keyrackd by hand")
  }

  @Test func whereSomebodyListensAndSaysNothingTheyGiveUpToo() async throws {
    let daemon = try ScriptedDaemon([.silence])
    defer { daemon.stop() }
    let failure = try #require(try await giveUp(daemon, stopped: false) as? CommandFailure)
    #expect(failure.status == 7)
    #expect(failure.message.hasPrefix("gave up after 1 s: keyrackd did not answer within "))
  }

  /// What `keyrack wait --timeout` says.
  @Test func withADeadlineOfTheirOwnTheySayWhatIsWrong() async throws {
    let daemon = try ScriptedDaemon([])
    let error = try await giveUp(daemon, stopped: true, before: .now)
    #expect(error as? ClientError == .notRunning(path: daemon.path))
  }

  /// TimeoutStopSec= of the unit, and what systemd takes besides.
  @Test func theyHoldOutForLongerThanADaemonTakesToStop() { #expect(Client.patience >= .seconds(60)) }
}

import Foundation
import KeyrackCore
import KeyrackSystem
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventCommandTests {
  private final class Lines: EventLog {
    private let all = Mutex<[String]>([])
    var messages: [String] { all.withLock { $0 } }
    func record(_ event: Event) { all.withLock { $0.append(event.message) } }
  }

  private let folder: TemporaryFolder
  private let log = Lines()

  init() throws { folder = try TemporaryFolder() }

  private func command(limit: Duration = .seconds(20)) -> EventCommand {
    EventCommand(log: log, environment: ["PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/n"], limit: limit)
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
  }

  @Test func eachLineIsReadInOrder() async throws {
    let command = command()
    for number in 0..<10 { command.tell(Array("{\"a\":\"\\n \(number)\"} \n".utf8), to: "cat >>\(folder.path)/out") }
    let lines = (0..<10).map { "{\"a\":\"\\n \($0)\"} \n" }.joined()
    try await eventually("all lines", within: .seconds(10)) { text("out").utf8.count == lines.utf8.count }
    #expect(text("out") == lines)
    #expect(log.messages == [])
  }

  @Test func theLineIsInNoArgumentAndNoEnvironment() async throws {
    let script = "cat /proc/$$/cmdline /proc/$$/environ /proc/$PPID/cmdline /proc/$PPID/environ >\(folder.path)/out"
    command().tell(Array("canary\n".utf8), to: "\(script); touch \(folder.path)/done")
    try await eventually("the command", within: .seconds(10)) {
      FileManager.default.fileExists(atPath: "\(folder.path)/done")
    }
    #expect(text("out").contains("PATH="))
    #expect(!text("out").contains("canary"))
    #expect(!text("out").contains("NOTIFY_SOCKET"))
  }

  @Test(arguments: [
    ("exit 3", "has failed, with status 3"), ("no-such-program 2>&-", "has failed, with status 127"),
    ("kill -9 $$", "has failed, with status 137"), ("sleep 60", "has not ended within 2.0 seconds"),
    ("cat >&- <&-; sleep 60 & sleep 60", "has not ended within 2.0 seconds"),
  ])
  func aFailureIsToldOnce(_ script: String, _ why: String) async throws {
    let command = command(limit: .seconds(2))
    for _ in 0..<2 { command.tell(Array("x\n".utf8), to: script) }
    command.tell(Array("x\n".utf8), to: "touch \(folder.path)/done")
    try await eventually("the end", within: .seconds(30)) {
      FileManager.default.fileExists(atPath: "\(folder.path)/done")
    }
    #expect(log.messages == ["the on_event command \(why)"])
  }

  @Test func oneThatDoesNotReadIsNoFailure() async throws {
    command().tell(Array("x\n".utf8), to: "exec <&-; touch \(folder.path)/done")
    try await eventually("the command", within: .seconds(10)) {
      FileManager.default.fileExists(atPath: "\(folder.path)/done")
    }
    #expect(log.messages == [])
  }

  @Test func theOldestOfTooManyAreDropped() async throws {
    let command = command()
    let wait = "cat >>\(folder.path)/out; until [ -e \(folder.path)/go ]; do sleep 0.02; done"
    command.tell(Array("first\n".utf8), to: wait)
    try await eventually("the first", within: .seconds(10)) { text("out") == "first\n" }
    for number in 0..<EventCommand.capacity + 5 {
      command.tell(Array("\(number)\n".utf8), to: "cat >>\(folder.path)/out")
    }
    try "".write(toFile: "\(folder.path)/go", atomically: false, encoding: .utf8)
    let rest = (5..<EventCommand.capacity + 5).map { "\($0)\n" }.joined()
    try await eventually("the rest", within: .seconds(30)) { text("out").hasSuffix("\(EventCommand.capacity + 4)\n") }
    #expect(text("out") == "first\n" + rest)
    #expect(log.messages == ["5 events were dropped: the on_event command is too slow for them"])
  }
}

import Foundation
import Glibc
import KeyrackCore
import TestSupport
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct AskpassTests {
  private static let question = ConfirmationQuestion(
    account: "work", program: Program(executable: "/usr/bin/mbsync", unit: "mail.service"))
  private let folder: TemporaryFolder
  private var script: String { "\(folder.path)/askpass" }

  init() throws { folder = try TemporaryFolder() }

  /// Asks by a shell script.
  private func ask(
    _ lines: String, mode: mode_t = 0o700, environment: [String: String] = [:], limit: Duration = .seconds(20)
  ) async throws -> ConfirmationAnswer {
    try "#!/bin/sh\n\(lines)\n".write(toFile: script, atomically: false, encoding: .utf8)
    chmod(script, mode)
    let all = ["PATH": "/usr/bin:/bin", "SSH_ASKPASS": script, "DISPLAY": ":9"].merging(environment) { $1 }
    return await KeyrackSystem.Askpass(environment: all, limit: limit).ask(Self.question)
  }

  // MARK: The answer

  @Test(
    arguments: [
      ("exit 0", .yes), ("exit 1", .no), ("exit 2", .no), ("exit 255", .no), ("echo no", .yes), ("echo 0; exit 1", .no),
      ("head -c 100000 /dev/zero", .yes), ("test \"$#\" = 1", .yes), ("test \"$SSH_ASKPASS_PROMPT\" = confirm", .yes),
      ("test \"$DISPLAY\" = :9", .yes), ("test -z \"$NOTIFY_SOCKET\"", .yes), ("read -r x || exit 0; exit 1", .yes),
    ] as [(String, ConfirmationAnswer)])
  func theExitStatusIsTheAnswer(_ lines: String, _ answer: ConfirmationAnswer) async throws {
    #expect(try await ask(lines, environment: ["NOTIFY_SOCKET": "/n"]) == answer)
  }

  @Test(arguments: [
    ("kill -9 $$", "was killed by signal 9"), ("kill -15 $$", "was killed by signal 15"),
    ("kill -9 $PPID", "could not be started, or was ended from outside"),
  ])
  func oneThatIsKilledHasSaidNothing(_ lines: String, _ why: String) async throws {
    #expect(try await ask(lines) == .impossible(.askpassFailed, "the askpass program \(script) \(why)"))
  }

  @Test func oneThatCannotBeRunHasFailed() async throws {
    let failed = { (program: String) in
      ConfirmationAnswer.impossible(.askpassFailed, "the askpass program \(program) could not be run")
    }
    #expect(try await ask("exit 0", mode: 0o600) == failed(script))
    #expect(try await ask("", environment: ["SSH_ASKPASS": "/nowhere/x"]) == failed("/nowhere/x"))
    #expect(try await ask("", environment: ["SSH_ASKPASS": "/etc"]) == failed("/etc"))
  }

  @Test func whereNobodyCanBeAskedThatIsSaid() async throws {
    let noDisplay = ConfirmationAnswer.impossible(.noDisplay, "there is no display to ask the person on")
    #expect(try await ask("exit 0", environment: ["DISPLAY": ""]) == noDisplay)
    #expect(try await ask("exit 0", environment: ["DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"]) == .yes)
    let relative = "SSH_ASKPASS is not an absolute path: askpass\\u{1B}"
    #expect(try await ask("exit 0", environment: ["SSH_ASKPASS": "askpass\u{1b}"]) == .impossible(.noAskpass, relative))
    let none = ["PATH": "/usr/bin:/bin", "DISPLAY": ":9", "SSH_ASKPASS": ""]
    let nobody = KeyrackSystem.Askpass(environment: none, standard: "/nowhere/x")
    let noAskpass = "there is no askpass program to ask the person with"
    #expect(await nobody.ask(Self.question) == .impossible(.noAskpass, noAskpass))
    #expect(await nobody.obstacle() == .impossible(.noAskpass, noAskpass))
    #expect(await KeyrackSystem.Askpass(environment: none, standard: script).obstacle() == nil)
    #expect(await KeyrackSystem.Askpass(environment: none, standard: script).ask(Self.question) == .yes)
  }

  // MARK: One that hangs

  @Test func oneThatHangsIsKilledWithAllThatItStarted() async throws {
    let answer = try await ask("\(pids) sleep 60 & \(pids) wait", limit: .seconds(1))
    let why = "the askpass program \(script) has not ended within 1.0 seconds"
    #expect(answer == .impossible(.askpassFailed, why))
    try await waitForEnd()
  }

  @Test func oneThatNobodyWaitsForGoesAway() async throws {
    let start = ContinuousClock.now
    let asking = Task { try await ask("sleep 60 & \(pids) wait") }
    try await eventually("the dialog") { FileManager.default.fileExists(atPath: "\(folder.path)/pids") }
    asking.cancel()
    _ = try await asking.value
    #expect(ContinuousClock.now - start < .seconds(20))
    try await waitForEnd()
  }

  @Test func oneOfACanceledTaskIsGoneAtOnce() async throws {
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await ask("sleep 60")
    }
    let start = ContinuousClock.now
    _ = try await asking.value
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  private var pids: String { "echo $$ $! >>\(folder.path)/pids;" }

  private func waitForEnd() async throws {
    let text = try String(contentsOfFile: "\(folder.path)/pids", encoding: .utf8)
    let pids = text.split { $0 == " " || $0 == "\n" }
    #expect(pids.count >= 2)
    try await eventually("the end of \(pids)", within: .seconds(10)) {
      pids.allSatisfy { (FileManager.default.contents(atPath: "/proc/\($0)/cmdline") ?? Data()).isEmpty }
    }
  }
}

import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// `on_event`, with the real daemon.
@Suite(.timeLimit(.minutes(1))) struct OnEventTests {
  private func fixture(_ command: String) async throws -> KeyrackFixture {
    try await KeyrackFixture { KeyrackFixture.oauth($0) + "[keyrack]\non_event=\(command)\n" }
  }

  private func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

  @Test func theCommandIsHandedEachEvent() async throws {
    let folder = try TemporaryFolder()
    let out = "\(folder.path)/out"
    let fixture = try await fixture("cat >>\(out)")
    try await fixture.signIn()
    _ = try await fixture.token(insteadOf: fixture.token())
    _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
    try await eventually("three events", within: .seconds(10)) { text(out).split(separator: "\n").count == 3 }
    let events = text(out).split(separator: "\n").compactMap { SessionEvent(line: Array($0.utf8)) }
    #expect(events.map(\.event) == [.login, .refreshed, .logout])
    #expect(events.allSatisfy { $0.account == "work" })
  }

  @Test func oneThatHangsDelaysNobodyAndGoesWithTheDaemon() async throws {
    let folder = try TemporaryFolder()
    let fixture = try await fixture("echo $$ >>\(folder.path)/pids; exec sleep 60")
    let (took, _) = try await timed {
      try await fixture.signIn()
      for _ in 0..<5 {
        _ = try await fixture.token()
        _ = try await fixture.daemon.call(ReloadOperation())
      }
      _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
      try await eventually("the command") { text("\(folder.path)/pids").hasSuffix("\n") }
      #expect(try await fixture.daemon.stop() == 0)
    }
    #expect(took < .seconds(10))
    let pids = text("\(folder.path)/pids").split(separator: "\n")
    #expect(pids.count == 1)
    try await eventually("its end", within: .seconds(10)) {
      pids.allSatisfy { (FileManager.default.contents(atPath: "/proc/\($0)/cmdline") ?? Data()).isEmpty }
    }
  }

  @Test func oneThatFailsIsInTheLog() async throws {
    let fixture = try await fixture("exit 3")
    try await fixture.signIn()
    try await eventually("the line", within: .seconds(10)) {
      fixture.daemon.said.contains("keyrackd: warning: the on_event command has failed, with status 3\n")
    }
  }
}

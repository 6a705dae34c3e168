import Foundation
import TestSupport
import Testing

/// `keyrack log` with a `journalctl` of the test's.
@Suite(.timeLimit(.minutes(1))) struct LogCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs it where `journalctl` is this shell script.
  private func run(_ arguments: [String] = [], journalctl script: String?) async throws -> CommandRun {
    if let script {
      let path = "\(folder.path)/journalctl"
      try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
    let environment = ["PATH=\(folder.path)", "TZ=UTC"]
    return try await BlockingThread.run {
      let process = try CommandProcess(["log"] + arguments, environment: environment)
      process.feed("")
      return process.result()
    }
  }

  private static let lines = #"""
    /bin/cat <<'END'
    {"__REALTIME_TIMESTAMP":"1798700000123456","MESSAGE":"work: token given to /usr/bin/git, 3 times more","KEYRACK_COUNT":"3"}
    {"__REALTIME_TIMESTAMP":"1798700001000000","MESSAGE":"evil \u001b[2J\u202e","KEYRACK_EVENT":"denied"}
    {"__REALTIME_TIMESTAMP":"1798700002000000","MESSAGE":[27,91]}
    not JSON
    END
    """#

  @Test func anEventIsALineWithTheLocalTime() async throws {
    let run = try await run(journalctl: Self.lines)
    #expect(
      run.text == """
        2026-12-31 06:53:20  work: token given to /usr/bin/git, 3 times more
        2026-12-31 06:53:21  evil \\u{1B}[2J\\u{202E}

        """)
    #expect(run.errors.isEmpty)
    #expect(run.status == 0)
  }

  @Test func jsonIsWhatTheJournalHas() async throws {
    let line = #"{"__REALTIME_TIMESTAMP":"1","MESSAGE":"m","KEYRACK_EVENT":"denied"}"#
    let run = try await run(["--json"], journalctl: "echo '\(line)'")
    #expect(run.text == line + "\n")
  }

  private static let usual = "--output=json --all --quiet --no-pager "
  private static let matches = "SYSLOG_IDENTIFIER=keyrackd _UID=\(getuid()) _TRANSPORT=journal"

  @Test(arguments: [
    ([], "--lines=100 \(matches)"), (["work"], "--lines=100 \(matches) KEYRACK_ACCOUNT=work"),
    (["-n", "5", "--follow"], "--lines=5 --follow \(matches)"), (["--since", "-2h"], "--since=-2h \(matches)"),
    (["--since=today", "--lines=7", "--", "-odd"], "--since=today --lines=7 \(matches) KEYRACK_ACCOUNT=-odd"),
  ])
  func journalctlIsAskedFor(_ arguments: [String], _ asked: String) async throws {
    let run = try await run(arguments, journalctl: #"echo "$*" >"$0.asked"; echo '{}'"#)
    #expect(run.status == 0)
    #expect(try String(contentsOfFile: "\(folder.path)/journalctl.asked", encoding: .utf8) == Self.usual + asked + "\n")
  }

  @Test(arguments: [
    (nil, "keyrack: could not run journalctl: No such file or directory\nkeyrack: hint: keyrack log reads "),
    ("exit 0", "keyrack: the journal has no event of keyrackd\nkeyrack: hint: one that was started by hand "),
    ("echo no permission >&2; exit 3", "no permission\nkeyrack: journalctl failed with status 3\n"),
    ("kill -9 $$", "keyrack: journalctl failed with status 137\n"),
  ])
  func whereThereIsNoJournalItSaysSo(_ script: String?, _ complaint: String) async throws {
    let run = try await run(journalctl: script)
    #expect(run.status == 1)
    #expect(run.text.isEmpty)
    #expect(run.errors.hasPrefix(complaint))
  }

  @Test(arguments: [
    ([], "the journal has no event of keyrackd\n"), (["work"], "the journal has no event of keyrackd about work\n"),
    (["--since=today"], "the journal has no event of keyrackd since today\n"),
    (["work", "--since", "-2h"], "the journal has no event of keyrackd about work since -2h\n"),
  ])
  func whatWasLookedForInVainIsNamed(_ arguments: [String], _ complaint: String) async throws {
    let run = try await run(arguments, journalctl: "exit 0")
    #expect(run.errors.hasPrefix("keyrack: " + complaint))
    #expect(run.errors.contains("can be read only by root and the group systemd-journal"))
  }

  @Test(arguments: [["a", "b"], ["-n", "0"], ["-n", "many"], ["--wait"]])
  func whatMakesNoSenseIsRefused(_ arguments: [String]) async throws {
    #expect(try await CommandRun.run(["log"] + arguments, socket: nil).status == 2)
  }
}

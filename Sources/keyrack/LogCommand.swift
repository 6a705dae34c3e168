import Glibc

/// `keyrack log`: what the daemon has written into the journal, by `journalctl`.
struct LogCommand {
  /// Where nothing says how much is wanted.
  private static let usualCount = 100
  private static let mostCount = 1_000_000

  private let arguments: [String]
  private let follows: Bool
  /// What is looked for, as it is told where nothing of it is there.
  private let subject: String

  init(_ invocation: Invocation) throws(CommandFailure) {
    follows = invocation.has(.follow)
    let count = try invocation.number(.lines, in: 1...Self.mostCount)
    var arguments = ["--output=json", "--all", "--quiet", "--no-pager"]
    if let since = invocation[.since] { arguments.append("--since=\(since)") }
    if let count = count ?? (invocation.has(.since) ? nil : Self.usualCount) { arguments.append("--lines=\(count)") }
    if follows { arguments.append("--follow") }
    // What a program of the same name prints is not among them.
    arguments += ["SYSLOG_IDENTIFIER=keyrackd", "_UID=\(geteuid())", "_TRANSPORT=journal"]
    if let account = invocation.account { arguments.append("KEYRACK_ACCOUNT=\(account)") }
    self.arguments = arguments
    let about = invocation.account.map { " about \($0)" } ?? ""
    subject = "keyrackd" + about + (invocation[.since].map { " since \($0)" } ?? "")
  }

  func run(json: Bool) throws -> Int32 {
    let journal: Subprocess
    do throws(SystemCallFailure) { journal = try Subprocess("journalctl", arguments) } catch {
      throw CommandFailure(
        status: 1, "could not run journalctl: \(error.reason)", hint: "keyrack log reads the journal of systemd")
    }
    var isEmpty = true
    while let line = journal.line() {
      isEmpty = false
      if json { try Output.line(line) } else if let entry = JournalEntry(line) { try Output.data(entry.text) }
    }
    let status = journal.status()
    if status != 0 { throw CommandFailure(status: 1, "journalctl failed with status \(status)") }
    if isEmpty && !follows {
      throw CommandFailure(
        status: 1, "the journal has no event of \(subject)",
        hint:
          "one that was started by hand writes to standard error instead; a journal that is not kept on disk can be "
          + "read only by root and the group systemd-journal")
    }
    return 0
  }
}

import KeyrackCore
import Testing

@testable import KeyrackSystem

@Suite struct LogTests {
  @Test(arguments: [
    ("plain, ünïcode", "plain, ünïcode"), ("a\u{1b}[2Jb", "a\\x1b[2Jb"), ("a\nb\r", "a\\x0ab\\x0d"),
    ("\u{9b}", "\\x9b"),
    ("\u{2028}", "\\x2028"), ("\0\u{7f}", "\\x00\\x7f"),
  ])
  func showsControlCharactersAsNumbers(_ text: String, _ shown: String) { #expect(Log.printable(text) == shown) }

  @Test func aLineSaysLevelAccountAndMessage() {
    let entry = LogEntry(level: .warning, event: "refresh_failed", account: "work\n", message: "no answer")
    #expect(entry.line == "keyrackd: warning: work\\x0a: no answer\n")
    #expect(LogEntry(level: .info, event: "started", account: nil, message: "up").line == "keyrackd: info: up\n")
  }

  @Test func theJournalGetsEachFieldOnItsOwn() {
    let entry = LogEntry(level: .error, event: "store_failed", account: "work", message: "disk full\nPRIORITY=7")
    #expect(
      entry.journalFields == [
        "MESSAGE=work: disk full\\x0aPRIORITY=7", "PRIORITY=3", "SYSLOG_IDENTIFIER=keyrackd",
        "KEYRACK_EVENT=store_failed", "KEYRACK_ACCOUNT=work",
      ])
  }
}

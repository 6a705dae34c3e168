import Foundation
import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite struct LogTests {
  @Test func aLineSaysLevelAccountAndMessage() {
    let entry = LogEntry(Event(.refreshFailed, "no answer", account: "work\n"))
    #expect(entry.line == "keyrackd: warning: work\\u{A}: no answer\n")
    #expect(LogEntry(Event(.started, "up")).line == "keyrackd: info: up\n")
  }

  @Test func theJournalGetsEachFieldOnItsOwn() {
    let entry = LogEntry(Event(.stateFailed, "disk full\nPRIORITY=7", account: "work"))
    #expect(
      entry.journalFields == [
        "MESSAGE=work: disk full\\u{A}PRIORITY=7", "MESSAGE_ID=\(Event.Kind.stateFailed.messageID)", "PRIORITY=3",
        "SYSLOG_IDENTIFIER=keyrackd", "KEYRACK_EVENT=state_failed", "KEYRACK_ACCOUNT=work",
      ])
  }

  @Test func theJournalGetsWhoAskedForWhat() {
    let session = SessionID()
    let program = Program(executable: "/tmp/\u{1b}c", unit: "x.service", confinement: .flatpak("org.x"))
    let caller = Caller(process: 42, evidence: .pidfd, program: program)
    var event = Event(
      .tokenGranted, "given", account: "work", session: session, caller: caller, reason: "why", token: "0123")
    event.scope = "mail\nread"
    event.resources = ["https://a", "https://b"]
    event.count = 7
    #expect(
      LogEntry(event).journalFields.dropFirst(4) == [
        "KEYRACK_EVENT=token_granted", "KEYRACK_ACCOUNT=work", "KEYRACK_SESSION=\(session)",
        "KEYRACK_DECISION=granted", "KEYRACK_REASON=why", "KEYRACK_SCOPE=mail\\u{A}read",
        "KEYRACK_RESOURCE=https://a https://b", "KEYRACK_TOKEN=0123", "KEYRACK_COUNT=7", "KEYRACK_PEER_PID=42",
        "KEYRACK_PEER_EXE=/tmp/\\u{1B}c", "KEYRACK_PEER_UNIT=x.service", "KEYRACK_PEER_CONFINEMENT=flatpak:org.x",
        "KEYRACK_PEER_EVIDENCE=pidfd",
      ])
  }

  @Test func eachKindHasAnIDOfItsOwn() {
    let ids = Event.Kind.allCases.map(\.messageID)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
  }

  @Test func theManualListsThem() throws {
    let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: "man/keyrackd.8"), encoding: .utf8)
    for kind in Event.Kind.allCases { #expect(text.contains("\n.It Li \(kind.rawValue) , \(kind.messageID)\n")) }
  }

  @Test func aFingerprintIsTheSameUntilTheNextStart() {
    let (first, second) = (KeyedFingerprints(), KeyedFingerprints())
    let token = Secret("at-1")
    #expect(first.fingerprint(of: token) == first.fingerprint(of: token))
    #expect(first.fingerprint(of: token) != first.fingerprint(of: Secret("at-2")))
    #expect(first.fingerprint(of: token) != second.fingerprint(of: token))
    #expect(first.fingerprint(of: token).count == 16)
  }
}

import CSystemd
import Glibc
import KeyrackCore
import KeyrackProtocol

/// One event, with the fields that the journal keeps.
struct LogEntry {
  private let event: Event

  init(_ event: Event) { self.event = event }

  /// `keyrackd: level: account: message`.
  var line: String {
    let parts = ["keyrackd", levelName, event.account, event.message].compactMap { $0 }
    return parts.joined(separator: ": ").printable + "\n"
  }

  var journalFields: [String] {
    let program = event.caller?.program
    let fields: [(String, String?)] = [
      ("MESSAGE", [event.account, event.message].compactMap { $0 }.joined(separator: ": ")),
      ("MESSAGE_ID", event.kind.messageID), ("PRIORITY", "\(event.level.rawValue)"), ("SYSLOG_IDENTIFIER", "keyrackd"),
      ("KEYRACK_EVENT", event.kind.rawValue), ("KEYRACK_ACCOUNT", event.account),
      ("KEYRACK_SESSION", event.session?.description), ("KEYRACK_DECISION", event.kind.decision),
      ("KEYRACK_REASON", event.reason), ("KEYRACK_SCOPE", event.scope),
      ("KEYRACK_RESOURCE", event.resources.isEmpty ? nil : event.resources.joined(separator: " ")),
      ("KEYRACK_TOKEN", event.token), ("KEYRACK_COUNT", event.count.map { "\($0)" }),
      ("KEYRACK_PEER_PID", event.caller?.process.map { "\($0)" }), ("KEYRACK_PEER_EXE", program?.executable),
      ("KEYRACK_PEER_UNIT", program?.unit), ("KEYRACK_PEER_CONFINEMENT", program?.confinement?.name),
      ("KEYRACK_PEER_EVIDENCE", event.caller?.evidence.rawValue),
    ]
    return fields.compactMap { name, value in value.map { "\(name)=\($0.printable)" } }
  }

  func write(toJournal isJournal: Bool) {
    if isJournal, sendToJournal() { return }
    var line = Array(line.utf8)[...]
    while !line.isEmpty {
      let count = unsafe line.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count > 0 { line.removeFirst(count) } else if errno != EINTR { return }
    }
  }

  private func sendToJournal() -> Bool {
    let fields = journalFields.map { Array($0.utf8) }
    var all = fields.flatMap { $0 }
    return unsafe all.withUnsafeMutableBytes { bytes in
      var vectors = unsafe [iovec]()
      var start = 0
      for field in fields {
        unsafe vectors.append(iovec(iov_base: bytes.baseAddress?.advanced(by: start), iov_len: field.count))
        start += field.count
      }
      return unsafe sd_journal_sendv(vectors, Int32(vectors.count)) == 0
    }
  }

  private var levelName: String {
    switch event.level {
    case .error: "error"
    case .warning: "warning"
    case .notice: "notice"
    case .info: "info"
    }
  }
}

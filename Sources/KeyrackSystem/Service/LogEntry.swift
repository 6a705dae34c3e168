import CSystemd
import Glibc
import KeyrackCore

/// One event, with the fields that the journal keeps.
struct LogEntry {
  let level: EventLevel
  let event: String
  let account: String?
  let message: String

  /// `keyrackd: level: account: message`.
  var line: String {
    let parts = ["keyrackd", levelName, account, message].compactMap { $0 }
    return Log.printable(parts.joined(separator: ": ")) + "\n"
  }

  var journalFields: [String] {
    let text = [account, message].compactMap { $0 }.joined(separator: ": ")
    var fields = [
      "MESSAGE=\(Log.printable(text))", "PRIORITY=\(level.rawValue)", "SYSLOG_IDENTIFIER=keyrackd",
      "KEYRACK_EVENT=\(Log.printable(event))",
    ]
    if let account { fields.append("KEYRACK_ACCOUNT=\(Log.printable(account))") }
    return fields
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
    switch level {
    case .error: "error"
    case .warning: "warning"
    case .notice: "notice"
    case .info: "info"
    }
  }
}

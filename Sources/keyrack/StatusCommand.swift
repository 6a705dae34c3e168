import Glibc
import KeyrackProtocol

/// `keyrack status`.
struct StatusCommand {
  private let operation: StatusOperation

  init(_ invocation: Invocation) throws { operation = StatusOperation(account: invocation.account) }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(operation, json: json) { reply in
      if reply.accounts.isEmpty { Output.note("no account is configured") }
      let report = StatusReport(reply, now: time(nil))
      try Output.data(report.text)
    }
  }
}

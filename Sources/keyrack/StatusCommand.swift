import Glibc
import KeyrackClient
import KeyrackProtocol

/// `keyrack status`.
struct StatusCommand {
  private let operation: StatusOperation

  init(_ invocation: Invocation) throws { operation = StatusOperation(account: invocation.account) }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(operation, json: json) { reply in
      try Output.data(StatusReport(reply, now: time(nil)).text)
      guard reply.accounts.isEmpty else { return }
      if let broken = Self.brokenConfiguration {
        throw CommandFailure(status: 1, "configuration: \(broken.message)", hint: broken.hint)
      }
      Output.note("no account is configured that this program may use; to add one: keyrack account add NAME")
    }
  }

  /// A daemon that could not read its configuration has no accounts, either.
  private static var brokenConfiguration: Check? {
    let checks = (try? Client().call(CheckOperation()))?.checks ?? []
    return checks.first { $0.name == "configuration" && $0.result == .fail }
  }
}

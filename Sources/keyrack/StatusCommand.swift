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
      try Self.requireConfiguration()
      Output.note("no account is configured that this program may use; to add one: keyrack account add NAME")
    }
  }

  /// A daemon that could not read its configuration has no accounts, either. Who may not ask is told nothing.
  private static func requireConfiguration() throws {
    do { _ = try Client().call(ResolveOperation(use: .git)) } catch {
      if let error = error as? ReplyError, error.code == .configError { throw error }
    }
  }
}

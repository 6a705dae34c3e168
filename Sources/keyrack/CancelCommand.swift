import KeyrackProtocol

/// `keyrack cancel`.
struct CancelCommand {
  private let operation: CancelOperation

  init(_ invocation: Invocation) throws { operation = CancelOperation(account: invocation.account ?? "") }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(operation, json: json) { reply in
      Output.note(
        reply.canceled ? "canceled the sign-in to \(reply.account)" : "no sign-in to \(reply.account) was under way")
    }
  }
}

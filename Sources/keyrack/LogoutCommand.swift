import KeyrackProtocol

/// `keyrack logout`.
struct LogoutCommand {
  private let operation: LogoutOperation

  init(_ invocation: Invocation) throws {
    operation = LogoutOperation(account: invocation.account ?? "", wait: invocation.has(.wait) ? true : nil)
  }

  func run(json: Bool) throws -> Int32 {
    if operation.wait == true, !json {
      Output.progress("waiting until the provider has been told; Ctrl-C leaves that to keyrackd")
    }
    return try Call.perform(operation, json: json) { reply in
      Output.note(Self.outcome(reply))
      if let why = reply.unreadable {
        Output.warning("what the keyring had of the session was \(why): end it at the provider, too, as it is not told")
      }
      if reply.local == .pending {
        Output.warning("the keyring cannot be written: what it holds is not used any more, and removed when it can be")
      }
    }
  }

  private static func outcome(_ reply: LogoutOperation.Reply) -> String {
    switch reply.remote {
    case .done: "signed out of \(reply.account); the provider has been told"
    case .pending: "signed out of \(reply.account); the provider will be told"
    case .unsupported: "signed out of \(reply.account); the provider cannot be told"
    case .none: "\(reply.account) was not signed in"
    }
  }
}

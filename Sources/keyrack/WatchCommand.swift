import Glibc
import KeyrackClient
import KeyrackProtocol

/// `keyrack watch`: how the accounts are, then a line for each change, until it is ended.
struct WatchCommand {
  private let operation: SubscribeOperation

  init(_ invocation: Invocation) {
    operation = SubscribeOperation(accounts: invocation.operands.isEmpty ? nil : invocation.operands)
  }

  func run(json: Bool) throws -> Int32 {
    var client = try Client()
    var answer = try client.answer(to: operation)
    while true {
      let status = try Call.present(answer, json: json) { reply in
        for account in reply.accounts { try Output.line(Self.line(time(nil), account.account, account.stateInWords)) }
      }
      guard case .success = answer.result else { return status }
      try show(client, json: json)
      (client, answer) = try client.afterRestart(answering: operation)
      if !json { try Output.line(Self.line(time(nil), nil, "keyrackd is back")) }
    }
  }

  /// Until the daemon goes away.
  private func show(_ events: Client, json: Bool) throws {
    do {
      while let (event, line) = try events.nextEvent() {
        try Output.line(json ? line.bytes : Self.line(event.at, event.account, event.inWords))
      }
    } catch ClientError.connectionLost {}
  }

  private static func line(_ at: Int, _ account: String?, _ what: String) -> [UInt8] {
    Array([LocalTime.text(at), account, what].compactMap(\.self).joined(separator: "  ").printable.utf8)
  }
}

extension SessionEvent {
  /// For people.
  fileprivate var inWords: String {
    let what =
      switch event {
      case .login: "signed in"
      case .logout: "signed out"
      case .refreshed: "refreshed"
      case .refreshFailed: "cannot be refreshed for now"
      case .loginRequired: "needs a sign-in: keyrack login \(account ?? "")"
      case .recovered: "works again"
      case .expiring: "its refresh token ends soon: keyrack login \(account ?? "")"
      case .keyring: "keyring"
      case .config: "the configuration was read again"
      }
    return what + (reason.map { event == .keyring ? ": \($0.words)" : " (\($0.words))" } ?? "")
  }
}

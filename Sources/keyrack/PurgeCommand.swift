import KeyrackProtocol

/// `keyrack purge`: tells what will go, asks, and tells what went.
struct PurgeCommand {
  private let isMeant: Bool

  init(_ invocation: Invocation) { isMeant = invocation.has(.yes) }

  func run(json: Bool) throws -> Int32 {
    try confirm()
    return try Call.perform(PurgeOperation(confirm: true), json: json) { reply in
      Output.note("removed \(Self.count(reply.removed, "item")) from the keyring")
      if reply.revoked > 0 { Output.note("\(Self.count(reply.revoked, "session")) ended at the provider") }
      if reply.failed > 0 {
        Output.warning(
          "\(Self.count(reply.failed, "session")) could not be ended at the provider: to be sure, end "
            + "\(reply.failed == 1 ? "it" : "them") on its page for connected applications")
      }
    }
  }

  private func confirm() throws {
    if isMeant { return }
    let terminal = try Terminal(instead: "keyrack purge --yes")
    let status = try Call.reply(to: StatusOperation()).body
    let signedIn = status.accounts.filter { $0.state != .signedOut && $0.state != .signingIn }.map(\.account)
    let names = signedIn + status.orphans
    Output.note(
      names.isEmpty ? "nobody is signed in" : "this signs out of \(names.joined(separator: ", "))")
    Output.note("all that Keyrack has in the keyring is removed: sessions, client secrets; keyrack.conf stays")
    guard try terminal.confirm("remove it?") else {
      throw CommandFailure(status: 1, "nothing was changed")
    }
  }

  private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}

import KeyrackClient
import KeyrackProtocol

/// `keyrack check`: what can be seen from here on the way to the daemon, then what the daemon sees.
enum CheckCommand {
  static func run(json: Bool) throws -> Int32 {
    var checks = [RuntimeDirectoryCheck.check, ConfigurationFileCheck.check]
    let (socket, client) = SocketCheck.run()
    let answers = client.map(ask) ?? []
    // Last, as only who asks shows whether the daemon can be started.
    checks += [UnitCheck.run(), socket] + answers
    if json {
      try Output.line(JSONObjectWriter.text(of: CheckOperation.Reply(checks: checks)))
    } else {
      try Output.data(checks.map(text).joined())
    }
    if client == nil { return 7 }
    return checks.contains { $0.result == .fail } ? 1 : 0
  }

  /// What the daemon says of itself, and of the rest.
  private static func ask(_ client: Client) -> [Check] {
    var checks: [Check] = []
    do {
      checks.append(Self.version(try client.call(VersionOperation())))
      Output.progress("keyrack: looking, for 25 s at most")
      return checks + (try client.call(CheckOperation()).checks)
    } catch {
      let failure = CommandFailure(error)
      let refusal = error is ReplyError ? "refuses to look: " : ""
      return checks + [Check(.fail, "daemon", refusal + failure.message, hint: failure.hint)]
    }
  }

  private static func version(_ reply: VersionOperation.Reply) -> Check {
    let name = "daemon"
    let its = "\(reply.name) \(reply.version)"
    guard reply.protocol == Keyrack.protocolVersion else {
      return Check(
        .fail, name,
        "\(its) speaks version \(reply.protocol) of the protocol, and this keyrack \(Keyrack.version) "
          + "version \(Keyrack.protocolVersion)", hint: restart)
    }
    guard reply.version != Keyrack.version else { return Check(.ok, name, its) }
    return Check(.warn, name, "\(its), and this is keyrack \(Keyrack.version)", hint: restart)
  }

  /// What helps where the two are of different versions.
  static let restart = "systemctl --user restart keyrack.service, where both were installed together"

  private static func text(_ check: Check) -> String {
    let line = "\(check.result.rawValue.padded(to: 4)) \(check.name): \(check.message)".printable + "\n"
    return line + (check.hint.map { "     \($0.printable)\n" } ?? "")
  }
}

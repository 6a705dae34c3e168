/// The help texts, from ``Command`` and ``Option``.
enum Help {
  static func text(about topic: HelpTopic) -> String {
    switch topic {
    case .overview: overview
    case .group(let group): text(for: group)
    case .command(let command): text(for: command)
    }
  }

  private static var overview: String {
    let commands = table(Command.allCases.map { ($0.rawValue, $0.definition.summary) })
    return """
      usage: keyrack COMMAND [OPTION...]

      Hands out access tokens of the accounts that you signed in to. keyrackd keeps them.

      commands:
      \(commands)

      keyrack COMMAND --help tells more about one of them.

      exit status:
      \(table(exitStatuses))

      environment:
        KEYRACK_SOCKET  where keyrackd listens (default $XDG_RUNTIME_DIR/keyrack/keyrack.sock)

      """
  }

  private static func text(for group: CommandGroup) -> String {
    let commands = group.commands
    return """
      usage: keyrack \(group.rawValue) COMMAND [OPTION...]

      \(sentence(group.summary))

      commands:
      \(table(commands.map { ($0.words.dropFirst().joined(separator: " "), $0.definition.summary) }))

      keyrack \(group.rawValue) COMMAND --help tells more about one of them.

      """
  }

  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + "."
  }

  private static func text(for command: Command) -> String {
    let definition = command.definition
    var text = ""
    for (form, prefix) in zip(definition.usage, ["usage:"] + Array(repeating: "      ", count: definition.usage.count))
    {
      let words = [prefix, "keyrack", command.rawValue, form, "[OPTION...]"].filter { !$0.isEmpty }
      text += words.joined(separator: " ") + "\n"
    }
    text += "\n\(sentence(definition.summary))\n"
    if let details = definition.details { text += "\n\(details)\n" }
    text += "\noptions:\n"
    text += table(
      definition.options.map {
        ([$0.flag, $0.value].compactMap(\.self).joined(separator: " "), $0.summary(in: command))
      })
    return text + "\n"
  }

  private static let exitStatuses = [
    ("0", "done"), ("1", "another failure"), ("2", "usage"), ("3", "login required"),
    ("4", "temporarily unavailable, throttled or timed out"), ("5", "keyring locked or failing"), ("6", "forbidden"),
    ("7", "no daemon"), ("8", "login denied"),
  ]

  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  " + $0.0.padded(to: width) + "  " + $0.1 }.joined(separator: "\n")
  }
}

/// The help texts, from ``Command`` and ``Option``.
enum Help {
  static func text(about topic: HelpTopic) -> String {
    switch topic {
    case .overview: overview
    case .group(let group): text(for: group)
    case .command(let command): text(for: command)
    case .page(let page): page.text
    }
  }

  private static var overview: String {
    let commands = table(Command.allCases.map { ($0.rawValue, $0.definition.summary) })
    return """
      usage: keyrack COMMAND [OPTION...]

      Hands out access tokens of the accounts that you signed in to. keyrackd keeps them.

      commands:
      \(commands)

      keyrack help COMMAND tells more about one of them.

      topics for keyrack help:
      \(table(HelpPage.allCases.map { ($0.rawValue, $0.summary) }))

      exit status:
      \(table(exitStatuses))

      environment:
        KEYRACK_SOCKET  where keyrackd listens (default $XDG_RUNTIME_DIR/keyrack/keyrack.sock)
        BROWSER         what opens a page, where browser_command in keyrack.conf does not say

      The whole: man keyrack

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
      let own = command.namesBeforeForeignWords == nil ? [form, "[OPTION...]"] : ["[OPTION...]", form]
      let words = ([prefix, "keyrack", command.rawValue] + own).filter { !$0.isEmpty }
      text += words.joined(separator: " ") + "\n"
    }
    text += "\n\(sentence(definition.summary))\n"
    if let details = definition.details { text += "\n\(details)\n" }
    text += "\noptions:\n"
    text += table(
      definition.options.map {
        ([$0.flag, $0.value].compactMap(\.self).joined(separator: " "), $0.summary(in: command))
      })
    return text + "\n\nexamples:\n" + examples(of: command)
  }

  /// What an example is for stands above it: some are long.
  private static func examples(of command: Command) -> String {
    command.examples.map { "  # \($0.meaning)\n  \($0.line)\n" }.joined()
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

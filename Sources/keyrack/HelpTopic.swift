/// What help can be about.
enum HelpTopic {
  case overview
  case group(CommandGroup)
  case command(Command)
  case page(HelpPage)

  /// Throws where there is nothing of that name.
  init(_ words: [String]) throws(CommandFailure) {
    if let command = Command(in: words), command.words.count == words.count {
      self = .command(command)
    } else if let group = words.first.flatMap(CommandGroup.init(rawValue:)), words.count == 1 {
      self = .group(group)
    } else if let page = words.first.flatMap(HelpPage.init(rawValue:)), words.count == 1 {
      self = .page(page)
    } else if words.isEmpty {
      self = .overview
    } else {
      throw .usage("\(words.joined(separator: " ")): no such command or topic", of: HelpTopic.overview)
    }
  }

  /// As it is typed.
  var words: [String] {
    switch self {
    case .overview: []
    case .group(let group): [group.rawValue]
    case .command(let command): command.words
    case .page(let page): ["help", page.rawValue]
    }
  }
}

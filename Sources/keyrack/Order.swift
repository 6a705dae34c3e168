/// What is to be done: a command, or help about something.
enum Order {
  case command(Invocation)
  case help(HelpTopic)

  init(_ arguments: [String]) throws(CommandFailure) {
    var words = Words(arguments)
    try words.sort()
    if let command = words.command {
      let invocation = try Invocation(words, command)
      if invocation.has(.help) { self = .help(.command(command)) } else { self = .command(invocation) }
      return
    }
    let asksForHelp = words.options.keys.allSatisfy { $0 == .help }
    guard let name = words.operands.first else {
      guard asksForHelp else { throw .usage("which command?", of: HelpTopic.overview) }
      self = .help(.overview)
      return
    }
    guard let group = CommandGroup(rawValue: name) else {
      throw .usage("\(name): no such command", of: HelpTopic.overview)
    }
    guard asksForHelp, words.options.count == 1, words.operands.count == 1 else {
      let names = group.commands.compactMap(\.words.last).joined(separator: ", ")
      throw .usage("\(name): which of \(names)?", of: .group(group))
    }
    self = .help(.group(group))
  }
}

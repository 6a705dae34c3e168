/// What was typed, once it is known to make sense as far as that can be told without the daemon.
struct Invocation {
  let command: Command
  let operands: [String]
  private let values: [Option: String]

  func has(_ option: Option) -> Bool { values[option] != nil }
  subscript(option: Option) -> String? { values[option] }

  /// The account that the command is about.
  var account: String? { operands.first }

  /// Nil where there is no command at all.
  init?(_ arguments: [String]) throws(CommandFailure) {
    var words = Words(arguments)
    try words.sort()
    guard let name = words.operands.first else {
      guard words.options.keys.allSatisfy({ $0 == .help }) else { throw .usage("which command?", of: nil) }
      return nil
    }
    guard let command = Command(rawValue: name) else { throw .usage("\(name): no such command", of: nil) }
    self.command = command
    operands = Array(words.operands.dropFirst())
    values = words.options
    try check()
  }

  private func check() throws(CommandFailure) {
    let allowed = command.definition.options
    if let stranger = Option.allCases.first(where: { has($0) && !allowed.contains($0) }) {
      throw .usage("\(stranger.flag): not an option of \(command.rawValue)", of: command)
    }
    if has(.help) { return }
    // What is too much is not repeated: it may be a password.
    if operands.count > command.operands.upperBound {
      let limit = command.operands.upperBound == 0 ? "no argument" : "one argument"
      throw .usage("\(command.rawValue) takes \(limit), not \(operands.count)", of: command)
    }
    if operands.count < command.operands.lowerBound || operands.contains("") {
      throw .usage("\(command.rawValue): which account?", of: command)
    }
  }

  /// A value in seconds.
  func seconds(_ option: Option, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
    guard let text = values[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds = "\(range.lowerBound) to \(range.upperBound)"
      throw .usage("\(option.flag): expected a whole number of seconds, \(bounds)", of: command)
    }
    return number
  }

  /// Refuses two options that do not go together.
  func exclude(_ first: Option, _ second: Option) throws(CommandFailure) {
    if has(first) && has(second) {
      throw .usage("\(second.flag): does not go with \(first.flag)", of: command)
    }
  }
}

/// Arguments on their way to operands and options.
private struct Words {
  private var rest: ArraySlice<String>
  private(set) var operands: [String] = []
  private(set) var options: [Option: String] = [:]

  init(_ arguments: [String]) { rest = arguments[...] }

  mutating func sort() throws(CommandFailure) {
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      if word.hasPrefix("-") && word != "-" { try take(word) } else { operands.append(word) }
    }
  }

  private mutating func take(_ word: String) throws(CommandFailure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = word == "-h" ? "--help" : String(parts[0])
    guard name.hasPrefix("--"), let option = Option(rawValue: String(name.dropFirst(2))) else {
      // Only so much of it as cannot be a password that was glued to it.
      throw .usage("\(name.hasPrefix("--") ? name : String(name.prefix(2))): no such option", of: command)
    }
    var value = parts.count > 1 ? String(parts[1]) : nil
    if option.value != nil {
      value = value ?? rest.popFirst()
      if value == nil { throw .usage("\(option.flag): needs a value", of: command) }
    } else if value != nil {
      throw .usage("\(option.flag): takes no value", of: command)
    }
    if options.updateValue(value ?? "", forKey: option) != nil {
      throw .usage("\(option.flag): given twice", of: command)
    }
  }

  private var command: Command? { operands.first.flatMap { Command(rawValue: $0) } }
}

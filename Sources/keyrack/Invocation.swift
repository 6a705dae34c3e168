/// What was typed, once it is known to make sense as far as that can be told without the daemon.
struct Invocation {
  let command: Command
  let operands: [String]
  private let values: [Option: String]

  func has(_ option: Option) -> Bool { values[option] != nil }
  subscript(option: Option) -> String? { values[option] }

  /// The operands that are not another program's words.
  private var names: ArraySlice<String> { operands.prefix(command.namesBeforeForeignWords ?? operands.count) }

  /// The account that the command is about.
  var account: String? { operands.first }

  init(_ words: Words, _ command: Command) throws(CommandFailure) {
    self.command = command
    operands = Array(words.operands.dropFirst(command.words.count))
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
      let limit = ["no argument", "one argument", "two arguments"][command.operands.upperBound]
      throw .usage("\(command.rawValue) takes \(limit), not \(operands.count)", of: command)
    }
    if operands.count < command.operands.lowerBound || names.contains("") {
      throw .usage("\(command.rawValue): \(command.question)", of: command)
    }
  }

  /// A value in seconds.
  func seconds(_ option: Option, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
    try number(option, in: range, "of seconds, ")
  }

  func number(
    _ option: Option, in range: ClosedRange<Int>, _ unit: String = ""
  ) throws(CommandFailure) -> Int? {
    guard let text = values[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds = "\(range.lowerBound) to \(range.upperBound)"
      throw .usage("\(option.flag): expected a whole number \(unit)\(bounds)", of: command)
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

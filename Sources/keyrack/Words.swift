/// Arguments on their way to operands and options.
struct Words {
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
      if restIsForeign {
        operands += rest
        return
      }
    }
  }

  private mutating func take(_ word: String) throws(CommandFailure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = Self.short[word] ?? String(parts[0])
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

  private static let short = ["-h": "--help", "-n": "--lines"]

  /// Whether what follows is for the program that takes over.
  private var restIsForeign: Bool {
    guard let command, let names = command.namesBeforeForeignWords else { return false }
    return operands.count >= command.words.count + names
  }

  /// The one that the first of them name.
  var command: Command? { Command(in: operands) }
}

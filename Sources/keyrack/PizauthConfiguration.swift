/// `pizauth.conf`, as far as its accounts: `key = "text";`, lists in `[ ]` and pairs in `{ }`, comments from `//` on.
struct PizauthConfiguration {
  private(set) var accounts: [PizauthAccount] = []
  private var words: PizauthWords

  init(_ text: String) throws(CommandFailure) {
    words = try PizauthWords(text)
    while let word = words.next() {
      if word == .name("account") { accounts.append(try account()) } else { _ = try value() }
    }
  }

  private mutating func account() throws(CommandFailure) -> PizauthAccount {
    guard case .text(let name)? = words.next(), words.next() == .mark("{") else { throw failure() }
    var fields: [String: [String]] = [:]
    while let word = words.next(), word != .mark("}") {
      guard case .name(let key) = word else { throw failure() }
      fields[key] = try value()
    }
    return PizauthAccount(name: name, fields: fields)
  }

  /// What follows a key, up to the semicolon behind it: the texts in it.
  private mutating func value() throws(CommandFailure) -> [String] {
    guard words.next() == .mark("=") else { throw failure() }
    var texts: [String] = []
    while let word = words.next() {
      switch word {
      case .mark(";"): return texts
      case .text(let text): texts.append(text)
      case .mark, .name: break
      }
    }
    throw failure()
  }

  private func failure() -> CommandFailure {
    CommandFailure(status: 1, "not pizauth's configuration: line \(words.line)", hint: ImportFormat.pizauth.example)
  }
}

/// The words of it.
struct PizauthWords {
  enum Word: Equatable {
    case text(String)
    /// A key, or a length of time.
    case name(String)
    case mark(Character)
  }

  private(set) var line = 1
  private var words: ArraySlice<(word: Word, line: Int)> = []

  init(_ text: String) throws(CommandFailure) {
    var rest = text.unicodeScalars[...]
    var line = 1
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\n": line += 1
      case " ", "\t", "\r": break
      case "/" where rest.first == "/": rest = rest.drop { $0 != "\n" }
      case "\"": words.append((.text(try Self.text(&rest, line)), line))
      case "=", ";", ",", ":", "{", "}", "[", "]": words.append((.mark(Character(scalar)), line))
      default:
        let name = rest.prefix { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
        rest = rest.dropFirst(name.count)
        words.append((.name(String(scalar) + String(name)), line))
      }
    }
  }

  mutating func next() -> Word? {
    guard let next = words.popFirst() else { return nil }
    line = next.line
    return next.word
  }

  /// Up to the quote; `\"` and `\\` stand for what follows the backslash.
  private static func text(_ rest: inout Substring.UnicodeScalarView, _ line: Int) throws(CommandFailure) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\n" {
      if scalar == "\"" { return String(text) }
      if scalar == "\\", let escaped = rest.popFirst() { text.append(escaped) } else { text.append(scalar) }
    }
    throw CommandFailure(status: 1, "not pizauth's configuration: line \(line): a text without its end")
  }
}

import KeyrackCore

/// Where the groups and keys of a configuration file are.
///
/// `GKeyFile` knows no line numbers, and merges a group or a key that is there twice without a word. So this looks at the
/// lines first; what a value means is left to `GKeyFile`.
struct ConfigurationFileScan: Equatable {
  struct Key: Equatable {
    let name: String
    let line: Int
  }

  struct Group: Equatable {
    let name: String
    let line: Int
    fileprivate(set) var keys: [Key]

    /// For messages: without the password that somebody wrote into a URL.
    var title: String { ConfigurationFileScan.title(name) }
  }

  /// In the order of the file.
  private(set) var groups: [Group] = []
  /// The lines of the groups so far, and of the keys of the last one.
  private var groupLines: [String: Int] = [:]
  private var keyLines: [String: Int] = [:]

  /// `path` is for messages.
  init(_ text: [UInt8], path: String) throws(ConfigurationError) {
    for (number, bytes) in zip(1..., text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)) {
      let place = "\(path):\(number)"
      guard let line = String(validating: bytes, as: UTF8.self) else {
        throw ConfigurationError("\(place): not UTF-8", hint: "save the file as UTF-8")
      }
      let content = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
      guard !content.contains(where: { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7F }) else {
        throw ConfigurationError("\(place): a control character", hint: "remove it")
      }
      try take(line.trimmingWhitespace(), number, place)
    }
  }

  private mutating func take(_ line: Substring, _ number: Int, _ place: String) throws(ConfigurationError) {
    if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { return }
    if line.utf8.first == UInt8(ascii: "[") {
      guard line.utf8.last == UInt8(ascii: "]"), line.utf8.count(where: { "[]".utf8.contains($0) }) == 2, line != "[]"
      else {
        throw ConfigurationError(
          "\(place): not a whole group header", hint: "a header is alone on its line: [account work]")
      }
      try takeGroup(String(line.unicodeScalars.dropFirst().dropLast()), number, place)
    } else {
      guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), equals != line.startIndex else {
        throw ConfigurationError(
          "\(place): neither [group], key=value nor # comment", hint: "put a # before it if it is a comment")
      }
      try takeKey(String(line[..<equals].trimmingWhitespace()), number, place)
    }
  }

  private mutating func takeGroup(_ name: String, _ number: Int, _ place: String) throws(ConfigurationError) {
    if let first = groupLines.updateValue(number, forKey: name) {
      throw ConfigurationError(
        "\(place): [\(Self.title(name))]: the group is already at line \(first)", hint: "put its keys into one group")
    }
    keyLines = [:]
    groups.append(Group(name: name, line: number, keys: []))
  }

  private static func title(_ name: String) -> String {
    var words = name.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 2, words[0] == "use", let at = words[2].utf8.lastIndex(of: UInt8(ascii: "@")) else {
      return name
    }
    words[2] = "…" + words[2][at...]
    return words.joined(separator: " ")
  }

  private mutating func takeKey(_ name: String, _ number: Int, _ place: String) throws(ConfigurationError) {
    guard let group = groups.indices.last else {
      throw ConfigurationError(
        "\(place): \(name): a key before the first group", hint: "put [account NAME] or [provider NAME] above it")
    }
    if let first = keyLines.updateValue(number, forKey: name) {
      throw ConfigurationError(
        "\(place): [\(groups[group].title)] \(name): the key is already at line \(first)",
        hint: "remove one of the two")
    }
    groups[group].keys.append(Key(name: name, line: number))
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Without the ASCII white space at its ends, a carriage return included.
  func trimmingWhitespace() -> Substring {
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || ("\t"..."\r").contains(scalar) }
    var rest = self[startIndex...]
    while let first = rest.unicodeScalars.first, isSpace(first) { rest.unicodeScalars.removeFirst() }
    while let last = rest.unicodeScalars.last, isSpace(last) { rest.unicodeScalars.removeLast() }
    return rest
  }
}

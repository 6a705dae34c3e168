import KeyrackCore

// Values that have a form of their own.
extension ConfigurationGroup {
  /// A whole number; nil where there is no such key.
  func number(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
    guard let value = try string(key) else { return nil }
    guard let number = Self.number(value, in: range) else {
      throw failure(
        key, "\"\(value)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)",
        hint: "write digits only, as in \(key)=\(range.contains(60) ? 60 : range.upperBound)")
    }
    return number
  }

  /// Digits and nothing else: no sign, no space.
  static func number(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text) else {
      return nil
    }
    return range.contains(number) ? number : nil
  }

  /// One of some words; nil where there is no such key.
  func choice(_ key: String, _ words: [String]) throws(ConfigurationError) -> String? {
    guard let value = try string(key) else { return nil }
    guard words.contains(value) else {
      throw failure(
        key, "\"\(value)\" is not one of \(words.joined(separator: ", "))",
        hint: "write " + words.map { "\(key)=\($0)" }.joined(separator: " or "))
    }
    return value
  }

  /// A command for the shell; nil where there is no such key.
  func command(_ key: String) throws(ConfigurationError) -> String? {
    guard let command = try string(key) else { return nil }
    guard !command.utf8.contains(0) else { throw failure(key, "holds a null byte", hint: "remove it") }
    return command
  }

  /// The path of a PEM file that nobody else may write to; nil where none is named.
  func caFile() throws(ConfigurationError) -> String? {
    guard let value = try string("ca_file") else { return nil }
    let path = value.hasPrefix("~/") ? home + value.dropFirst(1) : value
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw failure("ca_file", "not an absolute path", hint: "begin it with / or ~/")
    }
    do { _ = try TrustedFile(opening: path) } catch {
      throw failure("ca_file", "\(path): \(error.what)", hint: error.hint ?? "name a PEM file that is there")
    }
    return path
  }

  /// The items `name=value` of a list, each name once. A name is printable ASCII, a value is not empty.
  func pairs(_ key: String, example: String) throws(ConfigurationError) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for item in try list(key) {
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { String($0.trimmingWhitespace()) }
      guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }),
        halves[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw failure(
          key, "\"\(item)\" is not name=value", hint: "separate items by \";\", as in \(key)=\(example)")
      }
      guard !pairs.contains(where: { $0.name == halves[0] }) else {
        throw failure(key, "\"\(halves[0])\" is there twice", hint: "remove one of the two")
      }
      pairs.append((halves[0], halves[1]))
    }
    return pairs
  }

  /// Parameters to send beside those of the standards, as they are: whoever wrote them encoded would get them encoded
  /// twice.
  func parameters(
    _ key: String, example: String = "audience=api.example.org", reserved: Set<String>
  ) throws(ConfigurationError) -> [ProviderHabits.Parameter] {
    var parameters: [ProviderHabits.Parameter] = []
    for (name, value) in try pairs(key, example: example) {
      try refuseSecret(name, in: key)
      guard !reserved.contains(name) else {
        throw failure(key, "\"\(name)\" is a parameter that Keyrack sends itself", hint: "remove it")
      }
      guard name.utf8.allSatisfy(Self.isNameCharacter) else {
        throw failure(
          key, "\"\(name)\" is not the name of a parameter", hint: "a name has the characters A-Z a-z 0-9 . _ -")
      }
      guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%") }) else {
        throw failure(
          key, "the value of \"\(name)\" is not printable ASCII without \"%\"",
          hint: "write it plainly: it is encoded when it is sent")
      }
      parameters.append(ProviderHabits.Parameter(name: name, value: value))
    }
    return parameters
  }

  /// What is in a request for tokens anyway.
  static let ofTokens: Set = ["grant_type", "client_id", "username", "scope", "resource"]
  /// What is in an authorization request anyway, or would turn it into another one.
  static let ofAuthorization: Set = [
    "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "request_uri", "request",
  ]

  /// RFC 6749, section 8.2.
  static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._-".utf8.contains(byte)
    }
  }
}

import KeyrackProtocol

/// What is known of an account before anybody is asked.
struct AccountDraft {
  /// Whom the account is with.
  enum Source {
    /// A preset, or a provider that is configured.
    case provider(String)
    case issuer(String)
    /// Lines of a provider's group.
    case endpoints([Setting])
  }

  let name: String
  let source: Source
  var clientID: String?
  var secret: Secret?
  var scopes: ScopeList?
  /// Whether the person is asked for scopes where none are known.
  var asksForScopes = true
  /// Whether the issuer may be meant with or without a slash at its end.
  var forgivesSlash = false
  /// Further lines for the provider's group.
  var settings: [Setting] = []

  /// Throws where no account can have the name.
  init(name: String, source: Source) throws(CommandFailure) {
    let isValid = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isNameCharacter)
    guard isValid else {
      throw CommandFailure(
        status: 2, "\(name): not a name that an account can have",
        hint: "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ @ + -")
    }
    self.name = name
    self.source = source
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._@+-".utf8.contains(byte)
    }
  }
}

extension Setting {
  /// A value as a person typed it: one line, without space at its ends.
  init(_ key: String, _ text: String) { self.init(key: key, value: text.replacing("\\", with: "\\\\")) }
}

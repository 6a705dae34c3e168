/// A text that its program has encrypted, by its first bytes. Keyrack asks for no passphrase: others decrypt it.
enum SealedText {
  case gnuPG, age, oidcAgent

  init?(_ text: [UInt8]) {
    let start = String(decoding: text.prefix(64), as: UTF8.self)
    if start.hasPrefix("-----BEGIN PGP MESSAGE-----") {
      // oidc-agent writes a line of its own behind it.
      self = Self.isOfOIDCAgent(text) ? .oidcAgent : .gnuPG
    } else if start.hasPrefix("-----BEGIN AGE ENCRYPTED FILE-----") || start.hasPrefix("age-encryption.org/") {
      self = .age
    } else if Self.isOfOIDCAgent(text) {
      self = .oidcAgent
    } else if let first = text.first, Self.packetTags.contains(first) {
      self = .gnuPG
    } else {
      return nil
    }
  }

  /// RFC 9580, section 4.2: what begins an encrypted message, in the old form and in the new one. None begins a text.
  private static let packetTags: Set<UInt8> = [0x84, 0x85, 0x86, 0x8C, 0x8D, 0xA6, 0xC1, 0xC3, 0xD2, 0xD4]

  private static func isOfOIDCAgent(_ text: [UInt8]) -> Bool {
    guard text.first != UInt8(ascii: "{") else { return false }
    return String(decoding: text, as: UTF8.self).contains("\nGenerated using version: ")
  }

  func failure(path: String, format: ImportFormat) -> CommandFailure {
    let name = path == "-" ? "standard input" : path
    let file = path == "-" ? "FILE" : path
    let command =
      switch self {
      case .gnuPG: "gpg --decrypt \(file)"
      case .age: "age --decrypt \(file)"
      case .oidcAgent: "oidc-gen --print \(path == "-" ? "NAME" : path)"
      }
    return CommandFailure(
      status: 1, "\(name): is encrypted", hint: "\(command) | keyrack import \(format.rawValue) -")
  }
}

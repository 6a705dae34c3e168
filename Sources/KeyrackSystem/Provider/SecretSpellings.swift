import KeyrackProtocol

/// The ways in which a text may quote a secret: as it is, or as a body, a header or a log line holds it.
enum SecretSpellings {
  static func all(of secrets: [Secret]) -> [Secret] {
    secrets.flatMap { secret in
      let escaped = FormEncoding.escaped(secret)
      return [secret, escaped, lowered(escaped), quoted(secret)] + encoded(secret)
    }
  }

  /// `%2F` is `%2f`, too.
  private static func lowered(_ escaped: Secret) -> Secret {
    var bytes = escaped.bytes
    for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
      for digit in bytes.index(after: index)..<min(index + 3, bytes.endIndex) where bytes[digit] > UInt8(ascii: "9") {
        bytes[digit] |= 0x20
      }
    }
    return Secret(bytes)
  }

  private static func quoted(_ secret: Secret) -> Secret {
    var quoted: [UInt8] = []
    secret.withSpan { JSONObjectWriter.append($0, to: &quoted) }
    return Secret(Array(quoted.dropFirst().dropLast()))
  }

  /// Base64 in both alphabets, without padding. Of a few bytes it would be what a common word is.
  private static func encoded(_ secret: Secret) -> [Secret] {
    guard secret.count >= 8 else { return [] }
    return [Secret(Base64.unpadded(secret.bytes)), Secret(Base64.urlEncoded(secret.bytes))]
  }
}

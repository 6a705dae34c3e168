import KeyrackProtocol

/// Text from a provider, made fit for one line of a log or a terminal.
enum OneLine {
  /// In characters.
  static let maximumCount = 200
  /// Bytes that are looked at: of a megabyte no more is shown, and a hostile one costs no time.
  private static let maximumLook = 16 << 10
  /// As many bytes of a secret are the secret: it may be cut, by the provider or here.
  private static let tellingCount = 16

  /// Without control and formatting characters, without any of the secrets, and short.
  static func text(_ text: String, redacting secrets: [Secret] = []) -> String {
    let start = String(decoding: text.utf8.prefix(maximumLook), as: UTF8.self)
    // Twice: a secret may hold what is removed, and the removal may put one together.
    let visible = redacted(flattened(redacted(start, secrets)), secrets)
    guard visible.count > maximumCount else { return visible }
    return visible.prefix(maximumCount) + "…"
  }

  private static func flattened(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isGap = false
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: isGap = true
      case .format, .privateUse, .surrogate, .unassigned: continue
      default:
        if isGap && !result.isEmpty { result.append(" ") }
        isGap = false
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func redacted(_ text: String, _ secrets: [Secret]) -> String {
    let hidden = secrets.filter { !$0.isEmpty }.map(\.bytes)
    guard !hidden.isEmpty else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      // The longest: one secret may be a part of another.
      let count = hidden.lazy.map { shared($0, bytes[index...]) }.max() ?? 0
      if count > 0 {
        result += secrets[0].description.utf8
        index += count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// How many bytes of a text's beginning are a secret, or enough of one to give it away.
  private static func shared(_ secret: [UInt8], _ text: ArraySlice<UInt8>) -> Int {
    var count = 0
    while count < min(secret.count, text.count), secret[count] == text[text.startIndex + count] { count += 1 }
    return count >= min(secret.count, tellingCount) ? count : 0
  }
}

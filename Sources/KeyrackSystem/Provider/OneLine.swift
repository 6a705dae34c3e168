import KeyrackProtocol

/// Text from a provider, made fit for one line of a log or a terminal.
enum OneLine {
  /// In characters.
  static let maximumCount = 200

  /// Without control and formatting characters, without any of the secrets, and short.
  static func text(_ text: String, redacting secrets: [Secret] = []) -> String {
    // Twice: a secret may hold what is removed, and the removal may put one together.
    let visible = redacted(flattened(redacted(text, secrets)), secrets)
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
    var bytes = Array(text.utf8)
    // The longest first: one secret may be a part of another.
    for secret in secrets.sorted(by: { $0.bytes.count > $1.bytes.count }) where !secret.isEmpty {
      bytes.replace(secret.bytes, with: secret.description.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

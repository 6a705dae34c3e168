extension String {
  /// In one line, for a terminal, a log or a message: whatever could move the cursor, change colours or reorder text is
  /// shown as `\u{1B}`.
  ///
  /// Names and messages come from a client, a configuration, a provider or a keyring.
  package var printable: String {
    if unicodeScalars.allSatisfy(Self.isPrintable) { return self }
    var text = ""
    for scalar in unicodeScalars {
      if Self.isPrintable(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      }
    }
    return text
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
    default: return true
    }
  }
}

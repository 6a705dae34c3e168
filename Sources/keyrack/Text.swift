extension String {
  /// For a terminal: whatever could move the cursor, change colours or reorder text is shown as `\u{1B}`.
  ///
  /// Names and messages come from a configuration, a provider or a keyring.
  var printable: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default:
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Without the white space at its ends.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}

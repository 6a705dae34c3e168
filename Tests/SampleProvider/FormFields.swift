/// `application/x-www-form-urlencoded`, decoded strictly: what a client encoded wrongly must not be understood here.
enum FormFields {
  /// Nil where a field is repeated or badly escaped.
  static func decode(_ text: String) -> [String: String]? {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = unescape(parts[0]), let value = unescape(parts.count > 1 ? parts[1] : ""),
        fields.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    return fields
  }

  /// Percent-encodes everything but RFC 3986's unreserved characters.
  static func escape(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character)) {
        result.append(character)
      } else {
        result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  static func unescape(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
          return nil
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

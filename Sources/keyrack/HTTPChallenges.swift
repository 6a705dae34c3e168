/// The value of a header `WWW-Authenticate` (RFC 9110, section 11.6.1).
enum HTTPChallenges {
  /// Whether one of the challenges in it is of that scheme, in small letters.
  static func offer(_ scheme: String, _ value: String) -> Bool {
    var isQuoted = false
    var isEscaped = false
    var items: [[UInt8]] = [[]]
    for byte in value.utf8 {
      if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
      if byte == UInt8(ascii: ","), !isQuoted { items.append([]) } else { items[items.count - 1].append(byte) }
    }
    return items.contains { item in
      let word = item.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 }
      return String(decoding: word, as: UTF8.self).lowercased() == scheme
    }
  }
}

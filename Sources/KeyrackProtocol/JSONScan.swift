/// What is wrong with a text, found before the JSON decoder sees it.
package struct JSONScanError: Error, Equatable {
  package let message: String
  /// Bytes from the start of the text, counting from 1.
  package let position: Int
}

/// A strict look at a JSON object before the decoder: Foundation's accepts a byte order mark, UTF-16, duplicate members
/// (the first wins), `\u0000`, control characters in strings and a comma before a closing bracket, and takes a second over
/// 500 levels of nesting.
///
/// It judges only that and finds where the top-level members are; the rest of the grammar is left to the decoder.
package struct JSONScan {
  /// One member of the top-level object.
  package struct Member: Equatable {
    package let name: String
    /// Where its value begins.
    package let valueStart: Int
    /// The bytes between the quotes, where the value is a string.
    package let string: Range<Int>?
  }

  /// Levels of arrays and objects, the outermost included.
  package static let maximumDepth = 32

  /// Members of the outermost object. Each is compared with those before it.
  package static let maximumMembers = 32

  /// The members of the top-level object, in the order of the text.
  package private(set) var members: [Member] = []

  private var position = 0
  /// For each open object the names it has so far, nil for an array. The outermost object is not in it.
  private var open: [Set<String>?] = []
  /// Whether the next string is a member's name.
  private var expectsName = false
  /// Whether nothing but white space came since a comma.
  private var isAfterComma = false

  /// Throws where the text is not UTF-8, is not an object, holds NUL, a duplicate member, a lone surrogate, a control
  /// character in a string or a comma before nothing, nests too deep or has too many members.
  package init(_ text: [UInt8]) throws(JSONScanError) {
    do { _ = try UTF8Span(validating: text.span) } catch { throw JSONScanError(message: "not UTF-8", position: 1) }
    try skipToObject(text)
    while position < text.count {
      if expectsName, !Self.mayStandBeforeName(text[position]) { throw failure("a name without double quotes") }
      switch text[position] {
      case 0: throw failure("a NUL byte")
      case UInt8(ascii: "\""): try string(text)
      case UInt8(ascii: "{"): try descend(into: [])
      case UInt8(ascii: "["): try descend(into: nil)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if isAfterComma { throw failure("a comma before nothing") }
        if !open.isEmpty { open.removeLast() }
        expectsName = false
      case UInt8(ascii: ","): expectsName = open.last.map { $0 != nil } ?? true
      default: break
      }
      if !Self.isSpace(text[position]) { isAfterComma = text[position] == UInt8(ascii: ",") }
      position += 1
    }
  }

  /// A member's value, where it is a string.
  package func text(of member: Member, in text: [UInt8]) -> String? {
    guard let range = member.string, let value = try? Self.unescaped(text, range) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  /// The text of a member's value, where it looks like a number.
  package func number(of member: Member, in text: [UInt8]) -> String? {
    let value = text[member.valueStart...]
    guard let first = value.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return nil }
    let end = value.firstIndex { !(0x30...0x39).contains($0) && !"+-.eE".utf8.contains($0) } ?? text.endIndex
    return String(decoding: text[member.valueStart..<end], as: UTF8.self)
  }

  private mutating func skipToObject(_ text: [UInt8]) throws(JSONScanError) {
    while position < text.count, Self.isSpace(text[position]) { position += 1 }
    guard position < text.count, text[position] == UInt8(ascii: "{") else { throw failure("not a JSON object") }
    position += 1
    expectsName = true
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  private static func mayStandBeforeName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "}"), 0: true
    default: isSpace(byte)
    }
  }

  private mutating func descend(into names: Set<String>?) throws(JSONScanError) {
    open.append(names)
    expectsName = names != nil
    if open.count >= Self.maximumDepth { throw failure("nested deeper than \(Self.maximumDepth) levels") }
  }

  private mutating func string(_ text: [UInt8]) throws(JSONScanError) {
    let start = position + 1
    var isEscaped = false
    position = start
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      if text[position] == 0 { throw failure("a NUL byte") }
      if text[position] < 0x20 { throw failure("a control character in a string") }
      if text[position] == UInt8(ascii: "\\") {
        isEscaped = true
        position += 1
      }
      position += 1
    }
    guard position < text.count else { throw failure("a string without an end") }
    let range = start..<position
    // Unescaped here only to be judged: a NUL or half a surrogate pair.
    let value = isEscaped ? try Self.unescaped(text, range) : nil
    if expectsName {
      expectsName = false
      let name = value.map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: text[range], as: UTF8.self)
      try take(name: name, in: text)
    }
  }

  private mutating func take(name: String, in text: [UInt8]) throws(JSONScanError) {
    guard let last = open.indices.last else { return try takeTopLevel(name: name, in: text) }
    if open[last]?.insert(name).inserted == false { throw failure("duplicate member \"\(name.excerpt.printable)\"") }
  }

  private mutating func takeTopLevel(name: String, in text: [UInt8]) throws(JSONScanError) {
    if members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      throw failure("duplicate member \"\(name.excerpt.printable)\"")
    }
    var start = position + 1
    while start < text.count, Self.isSpace(text[start]) || text[start] == UInt8(ascii: ":") { start += 1 }
    var string: Range<Int>?
    if start < text.count, text[start] == UInt8(ascii: "\"") {
      var end = start + 1
      while end < text.count, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
      if end < text.count { string = start + 1..<end }
    }
    if members.count == Self.maximumMembers { throw failure("more than \(Self.maximumMembers) members") }
    if members.isEmpty { members.reserveCapacity(8) }
    members.append(Member(name: name, valueStart: start, string: string))
  }

  private func failure(_ message: String) -> JSONScanError { JSONScanError(message: message, position: position + 1) }

  /// The text of a JSON string (RFC 8259, section 7) from the bytes between its quotes.
  ///
  /// Throws for NUL, a lone surrogate and an unknown escape. It exists so that a password need not pass through the
  /// decoder, whose copies nobody can wipe.
  package static func unescaped(_ text: [UInt8], _ range: Range<Int>) throws(JSONScanError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      guard text[position] == UInt8(ascii: "\\") else {
        result.append(text[position])
        position += 1
        continue
      }
      guard position + 1 < range.upperBound else {
        throw JSONScanError(message: "a broken escape", position: position + 1)
      }
      let letter = text[position + 1]
      if let byte = shortEscapes[letter] {
        result.append(byte)
        position += 2
      } else if letter == UInt8(ascii: "u") {
        let scalar = try unicodeEscape(text, &position, range.upperBound)
        result.append(contentsOf: scalar.utf8)
      } else {
        throw JSONScanError(message: "an unknown escape", position: position + 1)
      }
    }
    return result
  }

  private static let shortEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    UInt8(ascii: "/"): UInt8(ascii: "/"),
    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
  ]

  private static func unicodeEscape(
    _ text: [UInt8], _ position: inout Int, _ end: Int
  ) throws(JSONScanError) -> Unicode.Scalar {
    let start = position + 1
    guard let first = codeUnit(text, &position, end) else {
      throw JSONScanError(message: "a broken \\u escape", position: start)
    }
    var value = UInt32(first)
    if (0xD800..<0xDC00).contains(first) {
      guard let second = codeUnit(text, &position, end), (0xDC00..<0xE000).contains(second) else {
        throw JSONScanError(message: "half a surrogate pair", position: start)
      }
      value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    if value == 0 { throw JSONScanError(message: "\\u0000", position: start) }
    guard let scalar = Unicode.Scalar(value) else {
      throw JSONScanError(message: "half a surrogate pair", position: start)
    }
    return scalar
  }

  /// The number of a `\uXXXX` that begins at `position`, which is moved behind it.
  private static func codeUnit(_ text: [UInt8], _ position: inout Int, _ end: Int) -> UInt16? {
    guard position + 6 <= end, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var value: UInt16 = 0
    for byte in text[position + 2..<position + 6] {
      guard let digit = hexValue(of: byte) else { return nil }
      value = value << 4 | digit
    }
    position += 6
    return value
  }
  private static func hexValue(of byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

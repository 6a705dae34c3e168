/// What is written as a JSON object.
public protocol JSONObject {
  /// For ``JSONObjectWriter`` to call.
  func write(to object: inout JSONObjectWriter)
}

/// Writes a JSON object, its members in the order in which they are given.
///
/// `JSONEncoder` orders members at random or by the alphabet, knows no ``Secret``, and took 8 us for the reply with a token.
/// An `Encoder` of our own took 24,000 instructions for it, most of them the runtime looking up types; this takes 9,000.
public struct JSONObjectWriter {
  private var bytes: [UInt8] = []
  /// Whether a member without a value is left out, or written as null.
  private let omitsNull: Bool
  private var hasMembers = false

  private init(omitsNull: Bool) {
    self.omitsNull = omitsNull
    bytes.reserveCapacity(512)
  }

  /// The text of an object; it holds no line feed. What has no value is null, or with `omittingNull` left out.
  package static func text(of object: some JSONObject, omittingNull: Bool = false) -> [UInt8] {
    var writer = JSONObjectWriter(omitsNull: omittingNull)
    writer.write(object)
    return writer.bytes
  }

  package mutating func member(_ name: String, _ value: String?) {
    guard let value else { return null(name) }
    begin(name)
    Self.append(value.utf8Span.span, to: &bytes)
  }

  package mutating func member(_ name: String, _ value: Secret?) {
    guard let value else { return null(name) }
    begin(name)
    value.withSpan { Self.append($0, to: &bytes) }
  }

  package mutating func member(_ name: String, _ value: Int?) {
    guard let value else { return null(name) }
    begin(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  package mutating func member(_ name: String, _ value: Bool?) {
    guard let value else { return null(name) }
    begin(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  package mutating func member(_ name: String, _ value: (some RawRepresentable<String>)?) {
    member(name, value?.rawValue)
  }

  package mutating func member(_ name: String, _ value: (some JSONObject)?) {
    guard let value else { return null(name) }
    begin(name)
    write(value)
  }

  package mutating func member(_ name: String, _ values: [String]) {
    array(name, values) { writer, value in Self.append(value.utf8Span.span, to: &writer.bytes) }
  }

  package mutating func member(_ name: String, _ values: [some JSONObject]) {
    array(name, values) { writer, value in writer.write(value) }
  }

  /// Null even where what has no value is left out.
  package mutating func explicitNull(_ name: String) {
    begin(name)
    bytes.append(contentsOf: "null".utf8)
  }

  private mutating func begin(_ name: String) {
    if hasMembers { bytes.append(UInt8(ascii: ",")) }
    hasMembers = true
    Self.append(name.utf8Span.span, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func null(_ name: String) {
    if !omitsNull { explicitNull(name) }
  }

  private mutating func write(_ object: some JSONObject) {
    let hadMembers = hasMembers
    hasMembers = false
    bytes.append(UInt8(ascii: "{"))
    object.write(to: &self)
    bytes.append(UInt8(ascii: "}"))
    hasMembers = hadMembers
  }

  private mutating func array<Value>(
    _ name: String, _ values: [Value], _ write: (inout JSONObjectWriter, Value) -> Void
  ) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (position, value) in values.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      write(&self, value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  // MARK: Strings

  /// Appends a string with its quotes, escaped as RFC 8259, section 7 asks.
  package static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for position in text.indices {
      let byte = text[position]
      if needsNoEscape(byte) { bytes.append(byte) } else { appendEscape(byte, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsNoEscape(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
  }

  private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
    case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
    default:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(hexDigits[Int(byte >> 4)])
      bytes.append(hexDigits[Int(byte & 15)])
    }
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// Encodes a value as one line of JSON, its members in the order of their declaration.
///
/// `JSONEncoder` orders members at random or by the alphabet, knows no ``Secret``, and took 8 us for a token reply where
/// this takes less than 1. It writes what the wire types of this target need: objects by key, arrays, strings, whole
/// numbers, booleans and null. Floating point numbers are not among them.
package enum JSONLineEncoder {
  /// One line of JSON without its line feed. Throws `EncodingError` for a value of a kind that the protocol has not.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let sink = Sink()
    sink.bytes.reserveCapacity(512)
    try sink.write(value)
    return sink.bytes
  }

  /// Appends a string with its quotes, escaped as RFC 8259, section 7 asks.
  package static func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
      case 0..<0x20, 0x7F:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(hexDigits[Int(byte >> 4)])
        bytes.append(hexDigits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// What is being written; shared by the containers of one value.
private final class Sink: Encoder {
  var bytes: [UInt8] = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// Of the object under way, which several containers may write one after the other.
  private var isOpen = false
  private var hasMembers = false

  func write<T: Encodable>(_ value: T) throws {
    switch value {
    case let secret as Secret: JSONLineEncoder.append(secret.bytes, to: &bytes)
    case let text as String: JSONLineEncoder.append(text.utf8, to: &bytes)
    case let flag as Bool: bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    case let number as any BinaryInteger: bytes.append(contentsOf: number.description.utf8)
    case is any BinaryFloatingPoint:
      let problem = "the protocol has no fractions"
      throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: problem))
    default: try writeNested(value)
    }
  }

  private func writeNested(_ value: some Encodable) throws {
    let outer = (isOpen, hasMembers)
    (isOpen, hasMembers) = (false, false)
    try value.encode(to: self)
    if isOpen { bytes.append(UInt8(ascii: "}")) }
    (isOpen, hasMembers) = outer
  }

  func writeNull() { bytes.append(contentsOf: "null".utf8) }

  func write(name: String) {
    if hasMembers { bytes.append(UInt8(ascii: ",")) }
    hasMembers = true
    JSONLineEncoder.append(name.utf8, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if !isOpen { bytes.append(UInt8(ascii: "{")) }
    isOpen = true
    return KeyedEncodingContainer(ObjectContainer<Key>(sink: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayContainer(sink: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { ValueContainer(sink: self) }
}

// The generic `encode` of each container serves for all the requirements by type.

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: Sink
  var codingPath: [any CodingKey] { [] }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    sink.write(name: key.stringValue)
    try sink.write(value)
  }

  mutating func encodeNil(forKey key: Key) throws {
    sink.write(name: key.stringValue)
    sink.writeNull()
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { sink.container(keyedBy: type) }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { sink.unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { sink }
  mutating func superEncoder(forKey key: Key) -> any Encoder { sink }
}

/// Closed by the array that is encoded through it, see `[T].encode`.
private final class ArrayContainer: UnkeyedEncodingContainer {
  let sink: Sink
  var codingPath: [any CodingKey] { [] }
  private(set) var count = 0

  init(sink: Sink) {
    self.sink = sink
    sink.bytes.append(UInt8(ascii: "["))
  }

  deinit { sink.bytes.append(UInt8(ascii: "]")) }

  func encode<T: Encodable>(_ value: T) throws {
    if count > 0 { sink.bytes.append(UInt8(ascii: ",")) }
    count += 1
    try sink.write(value)
  }

  func encodeNil() throws { sink.writeNull() }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    sink.container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { sink.unkeyedContainer() }
  func superEncoder() -> any Encoder { sink }
}

private struct ValueContainer: SingleValueEncodingContainer {
  let sink: Sink
  var codingPath: [any CodingKey] { [] }

  mutating func encode<T: Encodable>(_ value: T) throws { try sink.write(value) }
  mutating func encodeNil() throws { sink.writeNull() }
}

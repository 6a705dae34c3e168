/// A password or a token: text that must never be printed.
///
/// Every description of it is `<redacted>`, and so is what a general encoder makes of it; only ``JSONObjectWriter`` and
/// ``bytes`` give the text. It is kept as bytes, not as a `String`: what a program released is overwritten where the
/// program links `CWipe`, and a short `String` would live outside the heap.
public struct Secret: Sendable, Hashable {
  /// The UTF-8 text itself.
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether there is no text at all.
  public var isEmpty: Bool { bytes.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodingUserInfoKey {
  /// `[String: Secret]`: the secrets that were lifted out of a text before a decoder saw it, by member name.
  package static let liftedSecrets = CodingUserInfoKey(rawValue: "liftedSecrets")
}

extension Secret: Codable {
  /// Takes the secret that was lifted out of the line for this member, else decodes a string.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    if let key = CodingUserInfoKey.liftedSecrets, let lifted = decoder.userInfo[key] as? [String: Secret],
      let name = decoder.codingPath.last?.stringValue, let secret = lifted[name]
    {
      self = secret
    } else {
      self.init(text)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A password or a token: text that must never be printed.
///
/// Every description of it is `<redacted>`, and so is what a general encoder makes of it; only ``JSONObjectWriter`` and
/// ``bytes`` give the text. It is kept as bytes in ``SecretMemory``, not as a `String`: copies share them, and they are
/// overwritten when the last one goes.
public struct Secret: Sendable {
  private let storage: SecretStorage

  public init(_ bytes: [UInt8]) { storage = unsafe bytes.withUnsafeBytes { unsafe SecretStorage($0) } }

  public init(_ text: String) {
    var text = text
    storage = text.withUTF8 { unsafe SecretStorage(UnsafeRawBufferPointer($0)) }
  }

  /// The pieces, one after the other.
  package init(joining pieces: [Secret]) {
    unsafe self.init(count: pieces.reduce(0) { $0 + $1.count }) { block in
      var end = 0
      for piece in pieces {
        unsafe piece.storage.withUnsafeBytes { bytes in
          unsafe UnsafeMutableRawBufferPointer(rebasing: block[end...]).copyMemory(from: bytes)
        }
        end += piece.count
      }
    }
  }

  /// `write` gets that many zeros.
  @unsafe package init(count: Int, writing write: (UnsafeMutableRawBufferPointer) -> Void) {
    storage = unsafe SecretStorage(count: count, writing: write)
  }

  /// Keeps what is made from now on in that memory, as far as it reaches.
  package static func keep(in memory: any SecretMemory) { SecretStorage.prefer(memory) }

  /// A copy of the UTF-8 text, in ordinary memory.
  public var bytes: [UInt8] { unsafe storage.withUnsafeBytes { unsafe Array($0) } }

  /// Bytes of the text.
  package var count: Int { storage.count }

  /// Whether there is no text at all.
  public var isEmpty: Bool { count == 0 }

  /// Lends the text itself.
  package func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe storage.withUnsafeBytes { unsafe body($0.bindMemory(to: UInt8.self).span) }
  }

  /// Lends the text itself.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe storage.withUnsafeBytes(body)
  }

  /// The text itself, for as long as somebody holds this secret or a copy of it; nil where there is none.
  @unsafe package var address: UnsafeMutableRawPointer? { unsafe storage.address }
}

extension Secret: Hashable {
  public static func == (one: Secret, other: Secret) -> Bool {
    if one.storage === other.storage { return true }
    return unsafe one.storage.withUnsafeBytes { one in
      unsafe other.storage.withUnsafeBytes { other in unsafe one.elementsEqual(other) }
    }
  }

  public func hash(into hasher: inout Hasher) {
    unsafe storage.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
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

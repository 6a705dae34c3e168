import KeyrackCore
import KeyrackProtocol

@testable import KeyrackSystem

/// What an item of the keyring holds: as it is, and as the payload of one whose checksum is right.
enum RecordFuzz {
  private static let codec = RecordCodec()

  static func run(_ input: [UInt8]) throws {
    try judge(Secret(input))
    guard String(validating: input, as: UTF8.self) != nil else { return }
    var text = Array(#"{"version":1,"checksum":"\#(GLibDigest().sha256(input))","payload":"#.utf8)
    JSONObjectWriter.append(input.span, to: &text)
    try judge(Secret(text + [UInt8(ascii: "}")]))
  }

  /// What was read is written and read the same.
  private static func judge(_ secret: Secret) throws {
    if let record = try? codec.decode(SessionRecord.self, from: secret) {
      let again = try codec.decode(SessionRecord.self, from: codec.encode(record))
      try require(again == record, "a session changes when it is written")
      _ = record.isPlausible
    }
    if let revocation = try? codec.decode(Revocation.self, from: secret) {
      let again = try codec.decode(Revocation.self, from: codec.encode(revocation))
      try require(again == revocation, "a revocation changes when it is written")
    }
  }
}

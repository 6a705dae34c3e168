import FoundationEssentials
import KeyrackCore
package import KeyrackProtocol

/// What a keyring item's secret holds: one JSON document with a version and a checksum, around the record's own JSON
/// text. A keyring that was killed while it wrote leaves an empty or an old secret; no half one has been seen, and none
/// would pass.
package struct RecordCodec {
  package enum Unusable: Error, Equatable {
    /// Not what Keyrack wrote.
    case torn
    /// Written by a newer Keyrack; not to be touched.
    case newer(version: Int)
  }

  private struct Version: Decodable {
    let version: Int
  }

  private struct Document: Decodable, JSONObject {
    let version: Int
    /// SHA-256 of `payload`, in hexadecimal.
    let checksum: String
    let payload: Secret

    func write(to object: inout JSONObjectWriter) {
      object.member("version", version)
      object.member("checksum", checksum)
      object.member("payload", payload)
    }
  }

  package static let version = 1

  private let digest = GLibDigest()

  package init() {}

  package func encode(_ record: some JSONObject) -> Secret {
    let payload = Secret(JSONObjectWriter.text(of: record, omittingNull: true))
    let document = Document(version: Self.version, checksum: digest.sha256(payload.bytes), payload: payload)
    return Secret(JSONObjectWriter.text(of: document))
  }

  package func decode<Record: Decodable>(_ type: Record.Type, from secret: Secret?) throws(Unusable) -> Record {
    guard let secret else { throw .torn }
    let version: Int = try Self.parse(Version.self, secret.bytes).version
    if version > Self.version { throw .newer(version: version) }
    let document = try Self.parse(Document.self, secret.bytes)
    let payload = document.payload.bytes
    guard version == Self.version, digest.sha256(payload) == document.checksum else { throw .torn }
    return try Self.parse(type, payload)
  }

  private static func parse<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws(Unusable) -> Value {
    // The decoder alone would take a text with duplicate members, and seconds for a deep one.
    guard (try? JSONScan(text)) != nil, let value = try? JSONDecoder().decode(type, from: Data(text)) else {
      throw .torn
    }
    return value
  }
}

import CGLib
import KeyrackCore

/// Digests by GLib.
package struct GLibDigest: Digest {
  private static let quarterBlock = [UInt8](repeating: 0, count: 32)

  package init() {}

  package func sha256(_ bytes: [UInt8]) -> String {
    Self.sha256Bytes(bytes).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }.joined()
  }

  /// The 32 bytes themselves.
  static func sha256Bytes(_ bytes: [UInt8]) -> [UInt8] { digest(G_CHECKSUM_SHA256, count: 32, of: bytes) }

  /// The first `count` bytes of a digest, which has no more than 64.
  static func digest(_ kind: GChecksumType, count: Int, of bytes: [UInt8]) -> [UInt8] {
    guard let checksum = unsafe g_checksum_new(kind) else { return [] }
    defer { unsafe free(checksum) }
    unsafe g_checksum_update(checksum, bytes, gssize(bytes.count))
    var digest = [UInt8](repeating: 0, count: 64)
    var written = gsize(digest.count)
    unsafe g_checksum_get_digest(checksum, &digest, &written)
    return Array(digest.prefix(count))
  }

  /// The block that GLib works on stays in memory that it does not give back, with what was digested: a token, a verifier.
  private static func free(_ checksum: OpaquePointer) {
    unsafe g_checksum_reset(checksum)
    // In pieces, for whole blocks are not copied; the largest has 128 bytes.
    for _ in 0..<4 { unsafe g_checksum_update(checksum, quarterBlock, gssize(quarterBlock.count)) }
    unsafe g_checksum_free(checksum)
  }
}

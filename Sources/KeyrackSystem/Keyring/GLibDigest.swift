import CGLib
import KeyrackCore

/// Digests by GLib.
package struct GLibDigest: Digest {
  package init() {}

  package func sha256(_ bytes: [UInt8]) -> String {
    let text = unsafe bytes.withUnsafeBufferPointer {
      unsafe g_compute_checksum_for_data(G_CHECKSUM_SHA256, $0.baseAddress, gsize($0.count))
    }
    defer { unsafe g_free(text) }
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }

  /// The 32 bytes themselves.
  static func sha256Bytes(_ bytes: [UInt8]) -> [UInt8] {
    guard let checksum = unsafe g_checksum_new(G_CHECKSUM_SHA256) else { return [] }
    defer { unsafe g_checksum_free(checksum) }
    unsafe g_checksum_update(checksum, bytes, gssize(bytes.count))
    var digest = [UInt8](repeating: 0, count: 32)
    var count = gsize(digest.count)
    unsafe g_checksum_get_digest(checksum, &digest, &count)
    return digest
  }
}

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
}

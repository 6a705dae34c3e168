import CGLib
import KeyrackProtocol

/// A token by its digest, as `rejected` of the protocol takes it.
enum TokenDigest {
  static func text(_ token: Secret) -> String {
    let digest = unsafe g_compute_checksum_for_data(G_CHECKSUM_SHA256, token.bytes, gsize(token.bytes.count))
    defer { unsafe g_free(digest) }
    return "sha256:" + (unsafe digest.map { unsafe String(cString: $0) } ?? "")
  }
}

import CGLib

/// RFC 7636, section 4.6, with the method S256.
enum ProofKey {
  static func isProven(_ challenge: String, by verifier: String) -> Bool {
    (43...128).contains(verifier.utf8.count) && Base64URL.text(sha256(Array(verifier.utf8))) == challenge
  }

  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    let checksum = g_checksum_new(G_CHECKSUM_SHA256)
    defer { g_checksum_free(checksum) }
    g_checksum_update(checksum, bytes, gssize(bytes.count))
    var digest = [UInt8](repeating: 0, count: 32)
    var count = gsize(digest.count)
    g_checksum_get_digest(checksum, &digest, &count)
    return digest
  }
}

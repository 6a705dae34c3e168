import CGLib
import KeyrackCore
import KeyrackProtocol

/// `at_hash` (OpenID Connect Core, section 3.1.3.6): the left half of the token's digest, by the hash of the id_token's
/// own signature.
enum AccessTokenHash {
  static func of(_ accessToken: Secret, for algorithm: SignatureAlgorithm) -> String {
    let (kind, count) = digest(of: algorithm)
    var bytes = [UInt8](repeating: 0, count: count)
    var written = gsize(count)
    guard let checksum = unsafe g_checksum_new(kind) else { return "" }
    defer { unsafe g_checksum_free(checksum) }
    unsafe g_checksum_update(checksum, accessToken.bytes, accessToken.bytes.count)
    unsafe g_checksum_get_digest(checksum, &bytes, &written)
    return Base64.urlText(bytes.prefix(count / 2))
  }

  private static func digest(of algorithm: SignatureAlgorithm) -> (GChecksumType, bytes: Int) {
    switch algorithm {
    case .rs256, .ps256, .es256: (G_CHECKSUM_SHA256, 32)
    case .rs384, .ps384, .es384: (G_CHECKSUM_SHA384, 48)
    case .rs512, .ps512, .es512: (G_CHECKSUM_SHA512, 64)
    }
  }
}

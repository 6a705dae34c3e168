import CGLib
import KeyrackCore
import KeyrackProtocol

/// `at_hash` (OpenID Connect Core, section 3.1.3.6): the left half of the token's digest, by the hash of the id_token's
/// own signature.
enum AccessTokenHash {
  static func of(_ accessToken: Secret, for algorithm: SignatureAlgorithm) -> String {
    let (kind, count) = digest(of: algorithm)
    return Base64.urlText(GLibDigest.digest(kind, count: count / 2, of: accessToken.bytes))
  }

  private static func digest(of algorithm: SignatureAlgorithm) -> (GChecksumType, bytes: Int) {
    switch algorithm {
    case .rs256, .ps256, .es256: (G_CHECKSUM_SHA256, 32)
    case .rs384, .ps384, .es384: (G_CHECKSUM_SHA384, 48)
    case .rs512, .ps512, .es512: (G_CHECKSUM_SHA512, 64)
    }
  }
}

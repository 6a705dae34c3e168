import KeyrackCore
import KeyrackProtocol

/// Proof Key for Code Exchange (RFC 7636): S256, and no other way.
enum ProofKey {
  /// 256 random bits in 43 characters (section 4.1): a verifier, a `state` or a `nonce`.
  static func random() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return Base64.urlEncoded((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// Section 4.2.
  static func challenge(_ verifier: Secret) -> String {
    Base64.urlText(GLibDigest.sha256Bytes(verifier.bytes))
  }
}

import CJOSE
package import KeyrackProtocol

/// A private key that a client proves itself with: P-256 (ES256) or RSA (RS256).
package struct SigningKey: Sendable {
  /// RFC 7518, section 3.1.
  package enum Algorithm: String, Sendable {
    case es256 = "ES256"
    case rs256 = "RS256"
  }

  package let algorithm: Algorithm
  /// What a JWK calls itself; a PEM has no name.
  package let keyID: String?
  let key: CJOSEKey

  /// From PEM (PKCS#8 or SEC1, as Apple's `.p8`) or from a private JWK.
  package init(_ text: Secret) throws(SigningKeyError) {
    let isJSON = text.bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    key = isJSON ? try Self.key(json: text.bytes) : try PEMKey(text).imported()
    algorithm = try Self.algorithm(of: key)
    keyID = unsafe cjose_jwk_get_kid(key.handle, nil).map { unsafe String(cString: $0) }
  }

  private static func key(json text: [UInt8]) throws(SigningKeyError) -> CJOSEKey {
    let scan: JSONScan
    do { scan = try JSONScan(text) } catch { throw SigningKeyError("it is not JSON as it should be: \(error.message)") }
    guard let number = scan.members.first(where: { $0.name == "d" })?.string, !number.isEmpty else {
      throw SigningKeyError("it has no private part")
    }
    guard let key = CJOSEKey(json: text) else { throw SigningKeyError("it is not a JWK of an EC or an RSA key") }
    return key
  }

  private static func algorithm(of key: CJOSEKey) throws(SigningKeyError) -> Algorithm {
    switch unsafe cjose_jwk_get_kty(key.handle, nil) {
    case CJOSE_JWK_KTY_EC:
      guard unsafe cjose_jwk_EC_get_curve(key.handle, nil) == CJOSE_JWK_EC_P_256 else {
        throw SigningKeyError.wrongCurve
      }
      return .es256
    case CJOSE_JWK_KTY_RSA:
      guard (2048...8192).contains(key.bits) else {
        throw SigningKeyError("an RSA key needs 2048 to 8192 bits, and it has \(key.bits)")
      }
      return .rs256
    default: throw SigningKeyError("it is neither an EC nor an RSA key")
    }
  }
}

/// Why a key cannot be signed with. Holds nothing of the key.
package struct SigningKeyError: Error, Sendable, Equatable {
  package let message: String

  init(_ reason: String) { message = "the private key is not usable: \(reason)" }

  static let wrongCurve = SigningKeyError("an EC key must be on the curve P-256")
}

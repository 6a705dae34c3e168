import CJOSE
import Foundation
import KeyrackProtocol

/// A key pair made for a test, and what a provider or a client does with it.
final class SigningParty: @unchecked Sendable {
  let keyID: String?
  private let key: OpaquePointer

  private init(_ key: OpaquePointer?, keyID: String?) {
    guard let key else { preconditionFailure("cjose has made no key") }
    self.key = key
    self.keyID = keyID
    if let keyID { _ = cjose_jwk_set_kid(self.key, keyID, keyID.utf8.count, nil) }
  }

  deinit { cjose_jwk_release(key) }

  static func rsa(_ keyID: String? = "r1", bits: Int = 2048) -> SigningParty {
    SigningParty(cjose_jwk_create_RSA_random(bits, nil, 0, nil), keyID: keyID)
  }

  static func ec(_ keyID: String? = "e1", curve: cjose_jwk_ec_curve = CJOSE_JWK_EC_P_256) -> SigningParty {
    SigningParty(cjose_jwk_create_EC_random(curve, nil), keyID: keyID)
  }

  static func shared(_ secret: [UInt8], _ keyID: String? = "r1") -> SigningParty {
    SigningParty(cjose_jwk_create_oct_spec(secret, secret.count, nil), keyID: keyID)
  }

  /// From the text of a JWK.
  static func imported(_ jwk: String) -> SigningParty {
    SigningParty(cjose_jwk_import(jwk, jwk.utf8.count, nil), keyID: nil)
  }

  /// The JWK, as a set publishes it, with members added or (nil) left out.
  func jwk(isPrivate: Bool = false, _ changes: [String: Any?] = [:]) -> String {
    guard let text = cjose_jwk_to_json(key, isPrivate, nil) else { preconditionFailure("cjose has written no key") }
    defer { free(text) }
    var members = object(Data(String(cString: text).utf8)) ?? [:]
    for (name, value) in changes { members[name] = value }
    return json(members)
  }

  /// The payload as a signed token.
  func sign(_ payload: String, alg: String, header: [String: String] = [:]) -> Secret {
    let members = cjose_header_new(nil)
    defer { cjose_header_release(members) }
    cjose_header_set(members, "alg", alg, nil)
    if let keyID { cjose_header_set(members, "kid", keyID, nil) }
    for (name, value) in header { cjose_header_set_raw(members, name, value, nil) }
    let jws = cjose_jws_sign(key, members, Array(payload.utf8), payload.utf8.count, nil)
    defer { cjose_jws_release(jws) }
    var text: UnsafePointer<CChar>?
    cjose_jws_export(jws, &text, nil)
    return Secret(text.map { String(cString: $0) } ?? "")
  }

  /// What a token says if this key has signed it, else nil.
  func payload(of token: Secret) -> [String: Any]? {
    let text = String(decoding: token.bytes, as: UTF8.self)
    let jws = cjose_jws_import(text, text.utf8.count, nil)
    defer { cjose_jws_release(jws) }
    var start: UnsafeMutablePointer<UInt8>?
    var count = 0
    guard jws != nil, cjose_jws_verify(jws, key, nil), cjose_jws_get_plaintext(jws, &start, &count, nil), let start
    else { return nil }
    return object(Data(bytes: start, count: count))
  }
}

/// In the order of the alphabet.
func json(_ members: [String: Any]) -> String {
  let text = try? JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
  return String(decoding: text ?? Data(), as: UTF8.self)
}

private func object(_ text: Data) -> [String: Any]? {
  try? JSONSerialization.jsonObject(with: text) as? [String: Any]
}

/// Base64 for URLs.
func base64URL(_ text: String) -> String {
  Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// The header of a compact token.
func header(of token: Secret) -> [String: String]? {
  var text = String(decoding: token.bytes.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    .replacing("-", with: "+").replacing("_", with: "/")
  text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  return Data(base64Encoded: text).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: String] }
}

import CJOSE
import Glibc
package import KeyrackProtocol

/// A short-lived JWT by which a client proves itself at the token endpoint with its own key.
package struct ClientAssertion: Sendable, Equatable {
  package let issuer: String
  package let subject: String
  package let audience: String
  /// Seconds from when it is signed.
  package let lifetime: Int
  /// Of the header; nil where the key's own is meant.
  package let keyID: String?
  /// Whether each has an id of its own, by which a provider knows one that it has seen.
  package let isUnique: Bool

  /// `private_key_jwt` (RFC 7523, section 3; OpenID Connect Core, section 9). `audience` is the token endpoint or the
  /// issuer, whichever the provider wants. The lifetime is kept within 60 to 300 seconds.
  package static func privateKeyJWT(
    clientID: String, audience: String, keyID: String? = nil, lifetime: Int = 60
  ) -> ClientAssertion {
    ClientAssertion(
      issuer: clientID, subject: clientID, audience: audience, lifetime: min(max(lifetime, 60), 300), keyID: keyID,
      isUnique: true)
  }

  /// What Apple takes for a `client_secret`: `keyID` and `teamID` have ten characters each.
  package static func apple(teamID: String, clientID: String, keyID: String) -> ClientAssertion {
    ClientAssertion(
      issuer: teamID, subject: clientID, audience: "https://appleid.apple.com", lifetime: 300, keyID: keyID,
      isUnique: false)
  }

  /// `now` is in Unix seconds. An RSA signature takes a millisecond: not for the event loop, see ``ClientSigner``.
  package func signed(by key: SigningKey, now: Int) throws(SigningKeyError) -> Secret {
    let payload = JSONObjectWriter.text(of: Payload(assertion: self, now: now), omittingNull: true)
    guard let header = unsafe cjose_header_new(nil) else { throw SigningKeyError("no memory") }
    defer { unsafe cjose_header_release(header) }
    let members =
      [("alg", key.algorithm.rawValue), ("typ", "JWT")] + ((keyID ?? key.keyID).map { [("kid", $0)] } ?? [])
    for (name, value) in members where unsafe !cjose_header_set(header, name, value, nil) {
      throw SigningKeyError("cjose does not take its \(name)")
    }
    guard let jws = unsafe cjose_jws_sign(key.key.handle, header, payload, payload.count, nil) else {
      throw SigningKeyError("cjose could not sign with it")
    }
    defer { unsafe cjose_jws_release(jws) }
    var text: UnsafePointer<CChar>?
    guard unsafe cjose_jws_export(jws, &text, nil), let text = unsafe text else {
      throw SigningKeyError("cjose could not sign with it")
    }
    return Secret(unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
  }
}

private struct Payload: JSONObject {
  let assertion: ClientAssertion
  let now: Int

  func write(to object: inout JSONObjectWriter) {
    object.member("iss", assertion.issuer)
    object.member("sub", assertion.subject)
    object.member("aud", assertion.audience)
    object.member("jti", assertion.isUnique ? Self.randomID() : nil)
    object.member("iat", now)
    object.member("exp", now + assertion.lifetime)
  }

  /// 128 bits.
  private static func randomID() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64.urlText((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }
}

/// Signs on a thread that is not the event loop's.
package actor ClientSigner {
  private let thread: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// `thread` may be another actor's, too.
  package init(thread: ThreadExecutor) { self.thread = thread }

  /// `key` is PEM or a JWK: see ``SigningKey``.
  package func sign(_ assertion: ClientAssertion, with key: Secret, now: Int) throws(SigningKeyError) -> Secret {
    try assertion.signed(by: SigningKey(key), now: now)
  }
}

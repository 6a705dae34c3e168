import KeyrackCore

/// The claims of an id_token as JSON (OpenID Connect Core, section 2).
struct IDTokenPayload: Decodable {
  /// With whatever algorithm, which is not the payload's to tell.
  private let claims: IDTokenClaims

  fileprivate enum CodingKeys: String, CodingKey {
    case iss, sub, aud, azp, exp, iat, nonce, email
    case atHash = "at_hash"
    case authTime = "auth_time"
  }

  /// Throws ``IDTokenError`` for a claim that is missing or of the wrong type.
  init(from decoder: any Decoder) throws {
    let members = ClaimMembers(container: try decoder.container(keyedBy: CodingKeys.self))
    claims = IDTokenClaims(
      issuer: try members.required(.iss, "a text", String.self),
      subject: try members.required(.sub, "a text", String.self),
      audiences: try members.audiences(),
      authorizedParty: try members.optional(.azp, "a text", String.self),
      expiresAt: try members.time(.exp), issuedAt: try members.time(.iat),
      nonce: try members.optional(.nonce, "a text", String.self), authTime: try? members.time(.authTime),
      accessTokenHash: try members.optional(.atHash, "a text", String.self),
      email: try? members.optional(.email, "a text", String.self), algorithm: .rs256)
  }

  func claims(signedBy algorithm: SignatureAlgorithm) -> IDTokenClaims {
    var claims = claims
    claims.algorithm = algorithm
    return claims
  }
}

private struct ClaimMembers {
  let container: KeyedDecodingContainer<IDTokenPayload.CodingKeys>

  func required<Value: Decodable>(
    _ key: IDTokenPayload.CodingKeys, _ what: String, _ type: Value.Type
  ) throws -> Value {
    guard let value = try optional(key, what, type) else { throw CompactJWS.broken("it has no \(key.rawValue)") }
    return value
  }

  func optional<Value: Decodable>(
    _ key: IDTokenPayload.CodingKeys, _ what: String, _ type: Value.Type
  ) throws -> Value? {
    guard container.contains(key), (try? container.decodeNil(forKey: key)) == false else { return nil }
    guard let value = try? container.decode(type, forKey: key) else {
      throw CompactJWS.broken("its \(key.rawValue) is not \(what)")
    }
    return value
  }

  /// RFC 7519, section 4.1.3: one text or a list.
  func audiences() throws -> [String] {
    if let one = try? container.decode(String.self, forKey: .aud) { return [one] }
    return try required(.aud, "a text or a list of texts", [String].self)
  }

  /// RFC 7519, section 2: seconds, perhaps with a fraction. Bounded, so that nobody's arithmetic overflows.
  func time(_ key: IDTokenPayload.CodingKeys) throws -> Int {
    let seconds = try required(key, "a number", Double.self)
    guard (0..<0x1p52).contains(seconds) else { throw CompactJWS.broken("its \(key.rawValue) is no time") }
    return Int(seconds)
  }
}

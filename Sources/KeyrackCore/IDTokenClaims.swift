/// What a signed id_token says (OpenID Connect Core, section 2). Only its signature has been looked at: who it is for is
/// the matter of ``IDTokenExpectation``.
package struct IDTokenClaims: Sendable, Equatable {
  package var issuer: String
  package var subject: String
  package var audiences: [String]
  package var authorizedParty: String?
  /// Unix seconds, a fraction cut off.
  package var expiresAt: Int
  /// Unix seconds, a fraction cut off.
  package var issuedAt: Int
  package var nonce: String?
  /// `auth_time`, when the person last gave a password or the like: Unix seconds, a fraction cut off.
  package var authTime: Int?
  /// `at_hash`: see ``IDTokenExpectation/check(_:accessTokenHash:)``.
  package var accessTokenHash: String?
  /// For people. Nobody is known by it.
  package var email: String?
  package var algorithm: SignatureAlgorithm

  package init(
    issuer: String, subject: String, audiences: [String], authorizedParty: String? = nil, expiresAt: Int,
    issuedAt: Int, nonce: String? = nil, authTime: Int? = nil, accessTokenHash: String? = nil, email: String? = nil,
    algorithm: SignatureAlgorithm
  ) {
    self.issuer = issuer
    self.subject = subject
    self.audiences = audiences
    self.authorizedParty = authorizedParty
    self.expiresAt = expiresAt
    self.issuedAt = issuedAt
    self.nonce = nonce
    self.authTime = authTime
    self.accessTokenHash = accessTokenHash
    self.email = email
    self.algorithm = algorithm
  }
}

/// The signatures that are accepted (RFC 7518, section 3.1): all asymmetric. Neither `none` nor an HMAC is among them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
}

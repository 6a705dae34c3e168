/// What an id_token has to say to be taken (OpenID Connect Core, sections 3.1.3.7 and 12.2). Texts are compared as bytes.
package struct IDTokenExpectation: Sendable, Equatable {
  /// Nil where it is not checked: the caller knows only a template of it.
  package var issuer: String?
  package var clientID: String
  /// Who else may be named as an audience.
  package var trustedAudiences: [String]
  /// What was sent, nil where none was.
  package var nonce: String?
  /// At a refresh: that of the sign-in, nil where it did not say.
  package var authTime: Int?
  /// Unix seconds.
  package var now: Int

  /// How far behind ours the clock that judges `exp` may be.
  package static let leeway = 60
  /// How far ahead of ours the provider's clock may be, in seconds.
  package static let maximumAhead = 600
  /// Characters of `sub` (section 2).
  package static let maximumSubjectCount = 255

  package init(
    issuer: String?, clientID: String, trustedAudiences: [String] = [], nonce: String? = nil, now: Int
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.trustedAudiences = trustedAudiences
    self.nonce = nonce
    self.now = now
  }

  /// The token of a sign-in (section 3.1.3.7).
  ///
  /// `accessTokenHash` is that of the access token which came with it (section 3.1.3.6), nil where none came.
  package func check(_ claims: IDTokenClaims, accessTokenHash: String? = nil) throws(IDTokenError) {
    try checkCommon(claims, accessTokenHash)
    switch (nonce, claims.nonce) {
    case (nil, nil): break
    case (let sent?, let got?) where Self.areSame(sent, got): break
    case (nil, _?): throw Self.refusal("it has a nonce that was not asked for")
    case (_?, nil): throw Self.refusal("it has no nonce")
    case (_?, _?): throw Self.refusal("its nonce is of another sign-in")
    }
  }

  /// The token of a refresh (section 12.2): of the same subject. Without a nonce or an `auth_time`, or with those of the
  /// sign-in, where they are still known.
  package func checkRefresh(
    _ claims: IDTokenClaims, subject: String, accessTokenHash: String? = nil
  ) throws(IDTokenError) {
    try checkCommon(claims, accessTokenHash)
    if let nonce, let got = claims.nonce, !Self.areSame(nonce, got) {
      throw Self.refusal("its nonce is of another sign-in")
    }
    if let authTime, let got = claims.authTime, authTime != got {
      throw Self.refusal("its auth_time is of another sign-in")
    }
    guard Self.areSame(subject, claims.subject) else {
      throw IDTokenError(.otherSubject, "the id_token of the refresh is of another subject")
    }
  }

  private func checkCommon(_ claims: IDTokenClaims, _ accessTokenHash: String?) throws(IDTokenError) {
    if let issuer, !Self.areSame(issuer, claims.issuer) {
      throw Self.refusal("its iss is another issuer", hint: Self.check("issuer"))
    }
    try checkAudience(claims)
    try checkTimes(claims)
    try checkSubject(claims.subject)
    if let hash = accessTokenHash, let claimed = claims.accessTokenHash, !Self.areSame(hash, claimed) {
      throw Self.refusal("its at_hash is of another access token")
    }
  }

  private func checkAudience(_ claims: IDTokenClaims) throws(IDTokenError) {
    guard claims.audiences.contains(where: isClient) else {
      throw Self.refusal("its aud is another client", hint: Self.check("client_id"))
    }
    let others = claims.audiences.filter { !isClient($0) }
    guard others.allSatisfy({ other in trustedAudiences.contains { Self.areSame($0, other) } }) else {
      throw Self.refusal("its aud names somebody else, too")
    }
    if let party = claims.authorizedParty {
      guard isClient(party) else { throw Self.refusal("its azp is another client", hint: Self.check("client_id")) }
    } else if claims.audiences.count > 1 {
      throw Self.refusal("it has several audiences and no azp")
    }
  }

  /// By differences that cannot overflow: `now` is ours, the claims are bounded where they are read.
  private func checkTimes(_ claims: IDTokenClaims) throws(IDTokenError) {
    guard claims.expiresAt > now - Self.leeway else { throw Self.refusal("it has expired (exp)", hint: Self.clock) }
    guard claims.issuedAt <= now + Self.maximumAhead else {
      throw Self.refusal("it was issued in the future (iat): is the clock right?", hint: Self.clock)
    }
  }

  private func checkSubject(_ subject: String) throws(IDTokenError) {
    guard !subject.isEmpty else { throw Self.refusal("its sub is empty") }
    guard subject.utf8.count <= Self.maximumSubjectCount, subject.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw Self.refusal("its sub is not up to \(Self.maximumSubjectCount) characters of ASCII")
    }
  }

  private func isClient(_ name: String) -> Bool { Self.areSame(name, clientID) }

  private static func areSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

  private static func refusal(_ reason: String, hint: String? = nil) -> IDTokenError {
    IDTokenError(.invalid, "the id_token is not valid: \(reason)", hint: hint)
  }

  private static func check(_ key: String) -> String { "check \(key) of its provider in keyrack.conf" }

  private static let clock = "see whether the clock of this machine is right"
}

import KeyrackCore
import KeyrackProtocol
import Testing

@Suite struct IDTokenClaimsTests {
  private static let now = 1_800_000_000

  private static let good = IDTokenClaims(
    issuer: "https://sso.example.org", subject: "248289761001", audiences: ["keyrack"], expiresAt: now + 300,
    issuedAt: now, nonce: "n-0S6", accessTokenHash: "77QmUPtjPfzWtF2AnpK9RQ", algorithm: .rs256)
  private static let expectation = IDTokenExpectation(
    issuer: "https://sso.example.org", clientID: "keyrack", nonce: "n-0S6", now: now)

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (inout IDTokenClaims, inout IDTokenExpectation) -> Void
    /// What the message ends with, nil where the token is good.
    let refusal: String?

    init(
      _ name: String, _ refusal: String?,
      _ change: @escaping @Sendable (inout IDTokenClaims, inout IDTokenExpectation) -> Void
    ) {
      self.name = name
      self.refusal = refusal
      self.change = change
    }

    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case("as expected", nil) { _, _ in },
    Case("issuer not checked", nil) { claims, expected in
      claims.issuer = "https://login.example.org/abc"
      expected.issuer = nil
    },
    Case("another issuer", "its iss is another issuer") { claims, _ in claims.issuer = "https://evil.example.org" },
    Case("issuer with a slash", "its iss is another issuer") { claims, _ in claims.issuer += "/" },
    Case("issuer in another Unicode form", "its iss is another issuer") { claims, expected in
      claims.issuer = "https://\u{E9}.example"
      expected.issuer = "https://e\u{301}.example"
    },
    Case("another audience", "its aud is another client") { claims, _ in claims.audiences = ["other"] },
    Case("no audience", "its aud is another client") { claims, _ in claims.audiences = [] },
    Case("an audience more", "its aud names somebody else, too") { claims, _ in
      claims.audiences.append("other")
      claims.authorizedParty = "keyrack"
    },
    Case("a trusted audience more", nil) { claims, expected in
      claims.audiences.append("other")
      claims.authorizedParty = "keyrack"
      expected.trustedAudiences = ["other"]
    },
    Case("several audiences, no azp", "it has several audiences and no azp") { claims, expected in
      claims.audiences.append("other")
      expected.trustedAudiences = ["other"]
    },
    Case("azp", nil) { claims, _ in claims.authorizedParty = "keyrack" },
    Case("another azp", "its azp is another client") { claims, _ in claims.authorizedParty = "other" },
    Case("expired", "it has expired (exp)") { claims, _ in claims.expiresAt = now - 60 },
    Case("expired within the leeway", nil) { claims, _ in claims.expiresAt = now - 59 },
    Case("issued in ten minutes", nil) { claims, _ in claims.issuedAt = now + 600 },
    Case("issued later", "it was issued in the future (iat): is the clock right?") { claims, _ in
      claims.issuedAt = now + 601
    },
    Case("nonce missing", "it has no nonce") { claims, _ in claims.nonce = nil },
    Case("another nonce", "its nonce is of another sign-in") { claims, _ in claims.nonce = "n-0S7" },
    Case("nonce not asked for", "it has a nonce that was not asked for") { _, expected in expected.nonce = nil },
    Case("no nonce, none asked for", nil) { claims, expected in
      claims.nonce = nil
      expected.nonce = nil
    },
    Case("empty subject", "its sub is empty") { claims, _ in claims.subject = "" },
    Case("subject of 255", nil) { claims, _ in claims.subject = String(repeating: "s", count: 255) },
    Case("subject of 256", "its sub is not up to 255 characters of ASCII") { claims, _ in
      claims.subject = String(repeating: "s", count: 256)
    },
    Case("subject beyond ASCII", "its sub is not up to 255 characters of ASCII") { claims, _ in
      claims.subject = "Zo\u{EB}"
    },
    Case("another access token", "its at_hash is of another access token") { claims, _ in
      claims.accessTokenHash = "AAAA"
    },
    Case("no at_hash", nil) { claims, _ in claims.accessTokenHash = nil },
  ]

  @Test(arguments: cases) func aTokenOfASignInIsJudgedByTheChecklist(_ row: Case) {
    var (claims, expected) = (Self.good, Self.expectation)
    row.change(&claims, &expected)
    let hash = "77QmUPtjPfzWtF2AnpK9RQ"
    let error = failure { () throws(IDTokenError) in try expected.check(claims, accessTokenHash: hash) }
    #expect(error?.message == row.refusal.map { "the id_token is not valid: \($0)" })
  }

  private static let refreshCases: [Case] = [
    Case("the same subject, no nonce", nil) { claims, _ in claims.nonce = nil },
    Case("the nonce of the sign-in", nil) { _, _ in },
    Case("a nonce that nobody remembers", nil) { _, expected in expected.nonce = nil },
    Case("another nonce", "its nonce is of another sign-in") { claims, _ in claims.nonce = "n-0S7" },
    Case("another issuer", "its iss is another issuer") { claims, _ in claims.issuer = "https://evil.example.org" },
    Case("another audience", "its aud is another client") { claims, _ in claims.audiences = ["other"] },
    Case("expired", "it has expired (exp)") { claims, _ in claims.expiresAt = now - 60 },
    Case("the auth_time of the sign-in", nil) { claims, expected in
      (claims.authTime, expected.authTime) = (now - 9, now - 9)
    },
    Case("another auth_time", "its auth_time is of another sign-in") { claims, expected in
      (claims.authTime, expected.authTime) = (now, now - 9)
    },
    Case("an auth_time that nobody remembers", nil) { claims, _ in claims.authTime = now },
    Case("no auth_time", nil) { _, expected in expected.authTime = now },
  ]

  @Test(arguments: refreshCases) func aTokenOfARefreshNeedsNoNonce(_ row: Case) {
    var (claims, expected) = (Self.good, Self.expectation)
    row.change(&claims, &expected)
    let error = failure { () throws(IDTokenError) in try expected.checkRefresh(claims, subject: Self.good.subject) }
    #expect(error?.message == row.refusal.map { "the id_token is not valid: \($0)" })
  }

  @Test(arguments: ["248289761002", "248289761001 ", "248289761"])
  func aRefreshMayNotChangeTheSubject(_ subject: String) {
    let error = failure { () throws(IDTokenError) in
      try Self.expectation.checkRefresh(Self.good, subject: subject)
    }
    #expect(error?.kind == .otherSubject)
    #expect(error?.code == .subjectMismatch)
  }

  @Test func eachKindOfErrorHasItsCode() {
    #expect(IDTokenError(.invalid, "").code == .providerError)
    #expect(IDTokenError(.keysUnavailable, "").code == .temporarilyUnavailable)
  }

  private func failure(_ body: () throws(IDTokenError) -> Void) -> IDTokenError? {
    do { try body() } catch { return error }
    return nil
  }
}

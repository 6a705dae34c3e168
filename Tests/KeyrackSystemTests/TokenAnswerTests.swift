import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// Rows of PROVIDERS.md and REFRESH.md as tables.
@Suite struct TokenAnswerTests {
  static let oauth = Provider.Kind.oauth(
    .init(clientID: "id", tokenEndpoint: "https://sso.example.org/token", allowsPasswordGrant: true))
  static let json = Provider.Kind.json(.init(loginURL: "https://api.example.org/login"))

  private func read(
    _ body: String, status: Int = 200, type: String? = "application/json", retryAfter: String? = nil,
    _ purpose: TokenAnswer.Purpose = .refresh, kind: Provider.Kind = oauth, secrets: [Secret] = []
  ) -> TokenOutcome {
    TokenAnswer(purpose: purpose, kind: kind, name: "sso.example.org:443", secrets: secrets)
      .outcome(
        of: HTTPResponse(status: status, contentType: type, retryAfter: retryAfter, body: Array(body.utf8)))
  }

  private func grant(_ members: String) throws -> Grant {
    let outcome = read(#"{"access_token":"at","refresh_token":"rt",\#(members)"x":0}"#)
    return try #require(outcome.grant, "\(outcome)")
  }

  // MARK: Shape

  @Test(
    arguments: [
      (#"{"access_token":"at","refresh_token":"rt"}"#, "application/json; charset=utf-8"),
      (#"{"access_token":"at","refresh_token":"rt"}"#, nil),
      (#"{"access_token":"at","refresh_token":"rt"}"#, "text/html"),
      ("\u{FEFF} \r\n\t{\"access_token\":\"at\",\"refresh_token\":\"rt\"}\n ", "application/json"),
      ("access_token=at&refresh_token=rt", "application/x-www-form-urlencoded"),
      ("access_token=at&refresh%5Ftoken=%72t&x=", "text/plain"),
      ("access_token=at&refresh_token=rt", nil),
      (#"{"access_token":"at","refresh_token":"rt","access_token":"at"}"#, nil),
      (#"{"access_token":"at","refresh_token":"rt","error":null}"#, nil),
      (#"{"access_token":"at","refresh_token":"rt","error":"","ok":true}"#, nil),
      (#"{"access_token":"at","refresh_token":"rt","error":false,"a":[1,{"b":[null]}]}"#, nil),
    ] as [(String, String?)])
  func aGrantIsFoundInEveryDress(body: String, type: String?) {
    #expect(read(body, type: type).grant == Grant(accessToken: Secret("at"), refreshToken: Secret("rt")))
  }

  @Test(arguments: [
    "", " ", "{", "null", "[]", "OK", #"{"access_token":"at""#, #"{"access_token":"at"} trailing"#,
    #"{"access_token":"at","n":NaN}"#, "<html>access_token=at</html>", #"{"accessToken":"at"}"#, "a=b", "{}",
    "\u{0}{\u{0}\"",
    #"{"access_token":"at","x":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#,
    #"{"access_token":""}"#, #"{"access_token":["at"]}"#, #"{"access_token":null}"#,
  ])
  func whatIsNoAnswerIsInDoubtOnRefreshAndFailsASignIn(body: String) {
    #expect(read(body).name == "unknown")
    #expect(read(body, .signIn).name == "failed")
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      #"{\#(String(repeating: #""a":{},"#, count: 150_000))"access_token":"at"}"#,
      #"{"error":[\#(String(repeating: "{},", count: 340_000)){}],"access_token":"at"}"#,
      #"{"scope":[\#(String(repeating: #""a","#, count: 250_000))7],"access_token":"at"}"#,
      #"{"x":[\#(String(repeating: "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],", count: 25_000))7],"access_token":"at"}"#,
      "access_token=at\(String(repeating: "&a=", count: 340_000))",
      #"{"access_token":"at","error":"\#(String(repeating: "\\n", count: 500_000))"}"#,
    ])
  func aHostileAnswerIsReadInTime(body: String) {
    _ = read(body, type: nil)
  }

  @Test func aCaptivePortalIsNoVerdict() {
    #expect(read("access_token=at", type: "text/html").name == "unknown")
    #expect(read("<!DOCTYPE html><p>Welcome to the hotel", type: nil).name == "unknown")
    #expect(read("<!DOCTYPE html>", type: "text/html", .signIn).name == "failed")
  }

  @Test func aLargeAccessTokenWithOddCharactersArrivesIntact() {
    let token = "A+/=.~|-_!\"" + String(repeating: "x", count: 100_000)
    let body = #"{"access_token":"\#(token.replacing("\"", with: "\\\""))"}"#
    #expect(read(body).grant?.accessToken == Secret(token))
  }

  // MARK: The refresh token comes first

  @Test(arguments: [
    #""access_token":"a b""#, #""access_token":"a\nb""#, #""access_token":"ä""#, #""access_token":"""#,
    #""access_token":7"#, #""token_type":"DPoP","access_token":"at""#, #""token_type":"mac","access_token":"at""#,
    #""x":1"#, #""error":"invalid_scope""#, #""error":"never_heard_of""#, #""error":{"code":190}"#,
  ])
  func aNewRefreshTokenSurvivesEveryOtherDefect(members: String) {
    #expect(read(#"{"refresh_token":"rt",\#(members)}"#).rejection?.refreshToken == Secret("rt"))
  }

  @Test(arguments: [#""""#, "null", "7", "true", "[]", "{}", #""a\u0000b""#, #""a\nb""#])
  func aRefreshTokenThatIsNoneCountsAsAbsent(value: String) throws {
    let outcome = read(#"{"access_token":"at","refresh_token":\#(value)}"#)
    #expect(try #require(outcome.grant).refreshToken == nil)
  }

  // MARK: Members

  @Test(
    arguments: [
      ("3600", .seconds(3600)), (#""3599""#, .seconds(3599)), ("3599.9", .seconds(3599)),
      (#""3599.5""#, .seconds(3599)),
      (#"" 60""#, .seconds(60)), ("1e3", .seconds(1000)), ("null", nil), ("true", nil), ("{}", nil), ("[]", nil),
      (#""soon""#, nil), (#"""# + #"""#, nil), (#""nan""#, nil), (#""inf""#, nil), (#""0x10""#, nil), ("0", .zero),
      ("-96", .zero), (#""-1""#, .zero), ("1e400", .seconds(31_536_000)), ("2147483648", .seconds(31_536_000)),
      ("18446744073709551615", .seconds(31_536_000)), ("9223372036854775808", .seconds(31_536_000)),
      (#""1e400""#, .seconds(31_536_000)), ("1e19", .seconds(31_536_000)),
      (#""99999999999999999999""#, .seconds(31_536_000)),
    ] as [(String, Duration?)])
  func aLifetimeIsUnderstoodInEveryShape(value: String, lifetime: Duration?) throws {
    let grant = try grant(#""expires_in":\#(value),"#)
    #expect(grant.lifetime == lifetime)
    #expect(grant.refreshToken == Secret("rt"))
  }

  @Test(
    arguments: [
      (#""expires":60,"#, .seconds(60)), (#""expires_in":null,"expires":60,"#, .seconds(60)),
      (#""expires_in":30,"expires":60,"#, .seconds(30)), ("", nil),
    ] as [(String, Duration?)])
  func theOldNameOfALifetimeIsUnderstood(members: String, lifetime: Duration?) throws {
    #expect(try grant(members).lifetime == lifetime)
  }

  @Test(
    arguments: [
      (#""refresh_token_expires_in":15897600,"#, .seconds(15_897_600)),
      (#""refresh_expires_in":1800,"#, .seconds(1800)),
      (#""refresh_expires_in":0,"#, nil), (#""x_refresh_token_expires_in":"60","#, .seconds(60)), ("", nil),
    ] as [(String, Duration?)])
  func theLifetimeOfARefreshTokenIsUnderstood(members: String, lifetime: Duration?) throws {
    #expect(try grant(members).refreshLifetime == lifetime)
  }

  @Test(arguments: [
    #""token_type":"bearer","#, #""token_type":"BEARER","#, "", #""token_type":null,"#, #""token_type":7,"#,
    #""token_type":"User Access Token","#, #""token_type":"bot","#, #""token_type":"","#,
  ])
  func aTokenIsABearerTokenUnlessItSaysWhatItIs(members: String) throws {
    #expect(try grant(members).tokenType == "Bearer")
  }

  @Test(
    arguments: [
      (#""a b""#, "a b"), (#""a,b""#, "a b"), (#""a, b""#, "a b"), (#"["a","b"]"#, "a b"), ("null", nil), ("7", nil),
      (#""""#, nil), ("[]", nil), (#""a\u0007b""#, "a b"), ("{}", nil),
    ] as [(String, String?)])
  func aScopeIsUnderstoodInEveryShape(value: String, scope: String?) throws {
    #expect(try grant(#""scope":\#(value),"#).scope == scope)
  }

  // MARK: Errors

  @Test(
    arguments: [
      ("invalid_grant", "denied", "denied"), ("bad_refresh_token", "denied", "denied"),
      ("invalid_refresh_token", "denied", "denied"), ("token_expired", "denied", "denied"),
      ("token_revoked", "denied", "denied"), ("invalid_client", "clientRefused", "clientRefused"),
      ("unauthorized_client", "clientRefused", "clientRefused"),
      ("incorrect_client_credentials", "clientRefused", "clientRefused"),
      ("temporarily_unavailable", "throttled", "throttled"), ("server_error", "throttled", "throttled"),
      ("slow_down", "throttled", "throttled"), ("invalid_request", "failed", "failed"),
      ("unsupported_grant_type", "failed", "failed"), ("invalid_scope", "failed", "failed"),
      ("interaction_required", "denied", "failed"), ("consent_required", "denied", "failed"),
      ("mfa_required", "denied", "failed"), ("never_heard_of", "failed", "failed"),
    ], [200, 400])
  func anErrorCodeCountsWhateverTheStatus(row: (code: String, refresh: String, signIn: String), status: Int) {
    let body = #"{"ok":false,"error":"\#(row.code)","error_description":"because"}"#
    #expect(read(body, status: status).name == row.refresh)
    #expect(read(body, status: status, .signIn).name == row.signIn)
    #expect(read("error=\(row.code)", status: status, type: nil).name == row.refresh)
    #expect(read(body, status: status).message == "sso.example.org:443 answered HTTP \(status) \(row.code): because")
  }

  @Test(arguments: [
    (#"{"errors":[{"errorType":"invalid_grant","message":"gone"}],"success":false}"#, "denied"),
    (#"{"error":{"message":"gone","type":"OAuthException","code":190}}"#, "failed"),
    (#"{"error":{"code":"invalid_client"}}"#, "clientRefused"), (#"{"error":["invalid_grant"]}"#, "denied"),
    (#"{"error":{}}"#, "failed"), (#"{"error":[]}"#, "failed"), (#"{"error":12}"#, "failed"),
    (#"{"error":1e300}"#, "failed"), (#"{"error":true}"#, "failed"), (#"{"error":[[[]]]}"#, "failed"),
  ])
  func anErrorThatIsNoTextDoesNoHarm(body: String, name: String) {
    #expect(read(body, status: 400).name == name)
  }

  @Test(
    arguments: [
      (408, nil, "throttled"), (425, nil, "throttled"), (429, nil, "throttled"), (429, "7", "throttled"),
      (500, nil, "unknown"), (500, "7", "unknown"), (502, nil, "unknown"), (503, nil, "unknown"),
      (503, "7", "throttled"), (503, "soon", "unknown"), (504, nil, "unknown"), (520, nil, "unknown"),
      (599, nil, "unknown"),
    ] as [(Int, String?, String)])
  func someStatusesCountWhateverTheBody(status: Int, retryAfter: String?, name: String) {
    for body in [#"{"error":"invalid_grant"}"#, "", "<html>", #"{"access_token":"at"}"#] {
      for purpose in [TokenAnswer.Purpose.refresh, .signIn] {
        let outcome = read(body, status: status, retryAfter: retryAfter, purpose)
        #expect(outcome.name == name)
        #expect(outcome.message.contains("HTTP \(status)"))
        if case .throttled(_, let wait) = outcome { #expect(wait == retryAfter.map { _ in .seconds(7) }) }
      }
    }
  }

  @Test func a503ThatSaysItIsTemporaryWasNotProcessed() {
    #expect(read(#"{"error":"temporarily_unavailable"}"#, status: 503).name == "throttled")
  }

  @Test(arguments: [
    (301, "", "notSent", "failed"), (307, "<html>", "notSent", "failed"), (401, "", "notSent", "denied"),
    (401, "<html>", "notSent", "failed"), (403, "<html>", "notSent", "failed"), (404, "", "notSent", "failed"),
    (404, #"{"error":"not_found"}"#, "notSent", "failed"), (405, "", "notSent", "failed"),
    (407, "<html>", "notSent", "failed"), (400, "", "failed", "failed"), (400, "<html>", "notSent", "failed"),
    (204, "", "unknown", "failed"),
  ])
  func aStatusWithoutAnErrorCostsNoSession(status: Int, body: String, refresh: String, signIn: String) {
    #expect(read(body, status: status, type: nil).name == refresh)
    #expect(read(body, status: status, type: nil, .signIn).name == signIn)
  }

  // MARK: JSON logins

  @Test(
    arguments: [
      (#"{"access_token":"at","refresh_token":"rt","expires_in":60}"#, "rt"),
      (#"{"accessToken":"at","refreshToken":"rt","expiresIn":"60"}"#, "rt"),
      (#"{"token":"at","expires_in":60,"user":{"id":1}}"#, nil),
    ] as [(String, String?)])
  func aJSONLoginNamesItsMembersInSeveralWays(body: String, refreshToken: String?) {
    let expected = Grant(
      accessToken: Secret("at"), lifetime: .seconds(60), refreshToken: refreshToken.map { Secret($0) })
    #expect(read(body, .signIn, kind: Self.json).grant == expected)
  }

  @Test(arguments: [
    (400, "denied", "denied"), (401, "denied", "denied"), (403, "denied", "denied"), (404, "denied", "notSent"),
    (422, "denied", "failed"), (405, "failed", "notSent"), (302, "failed", "notSent"), (500, "unknown", "unknown"),
    (429, "throttled", "throttled"), (200, "failed", "unknown"),
  ])
  func aJSONLoginIsJudgedByItsStatus(status: Int, signIn: String, refresh: String) {
    let body = #"{"message":"wrong password"}"#
    #expect(read(body, status: status, .signIn, kind: Self.json).name == signIn)
    #expect(read(body, status: status, kind: Self.json).name == refresh)
  }

  @Test func aFirewallDoesNotEndTheSessionOfAJSONLogin() {
    #expect(read("<html>", status: 403, type: "text/html", kind: Self.json).name == "notSent")
  }

  // MARK: Messages

  @Test func aMessageIsOneLineWithoutSecrets() {
    let body = #"{"error":"invalid_grant","error_description":"AADSTS70008: the token s3cr3t\r\nhas\u0007expired"}"#
    let message = read(body, status: 400, secrets: [Secret("s3cr3t")]).message
    #expect(
      message == "sso.example.org:443 answered HTTP 400 invalid_grant: AADSTS70008: the token <redacted> has expired")
  }

  @Test func noOutcomePrintsAToken() {
    let body = #"{"access_token":"s3cr3t-a","refresh_token":"s3cr3t-r"}"#
    #expect(!String(reflecting: read(body)).contains("s3cr3t"))
    #expect(!String(reflecting: read(#"{"access_token":"s3cr3t a","refresh_token":"s3cr3t-r"}"#)).contains("s3cr3t"))
  }
}

extension TokenOutcome {
  fileprivate var grant: Grant? {
    if case .success(let grant) = self { grant } else { nil }
  }

  fileprivate var rejection: Rejection? {
    if case .rejected(let rejection) = self { rejection } else { nil }
  }

  fileprivate var name: String {
    switch self {
    case .success: "success"
    case .rejected(let rejection):
      switch rejection.cause {
      case .grant: "denied"
      case .client: "clientRefused"
      case .unexplained, .target, .conflict, .request, .answer: "failed"
      }
    case .throttled: "throttled"
    case .notSent: "notSent"
    case .unknown: "unknown"
    }
  }

  fileprivate var message: String {
    switch self {
    case .success: ""
    case .rejected(let rejection): rejection.message
    case .throttled(let text, _), .notSent(let text), .unknown(let text): text
    }
  }
}

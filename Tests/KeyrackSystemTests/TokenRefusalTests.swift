import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// Answers that are no grant. The rows bear the numbers of the rules and of the providers' habits that they are of.
@Suite struct TokenRefusalTests {
  private let reader = AnswerReader()
  private let json = AnswerReader(kind: AnswerReader.json)

  // MARK: By the code

  @Test(
    arguments: [
      ("R19", "invalid_grant", .revoked, .revoked), ("Q36", "bad_refresh_token", .revoked, .revoked),
      ("Q37", "invalid_refresh_token", .revoked, .revoked), ("Q37", "token_revoked", .revoked, .revoked),
      ("R19", "access_denied", .revoked, .revoked), ("R19", "invalid_token", .revoked, .revoked),
      ("Q37", "token_expired", .expired, .expired), ("R19", "expired_token", .expired, .expired),
      ("R19", "refresh_token_expired", .expired, .expired),
      ("R19", "interaction_required", .policy, .request), ("R19", "login_required", .policy, .request),
      ("R19", "consent_required", .policy, .request), ("R19", "mfa_required", .policy, .request),
      ("R19", "insufficient_user_authentication", .policy, .request),
      ("Q35", "invalid_client", .client, .client), ("R19", "unauthorized_client", .client, .client),
      ("Q36", "incorrect_client_credentials", .client, .client), ("Q37", "bad_client_secret", .client, .client),
      ("R19", "invalid_scope", .target, .target), ("R19", "invalid_target", .target, .target),
      ("R19", "invalid_request", .conflict, .conflict), ("R19", "unsupported_grant_type", .request, .request),
      ("R19", "use_dpop_nonce", .request, .request), ("Q36", "redirect_uri_mismatch", .request, .request),
      ("Q30", "temporarily_unavailable", .throttled(nil), .throttled(nil)),
      ("Q30", "slow_down", .throttled(nil), .throttled(nil)), ("Q37", "ratelimited", .throttled(nil), .throttled(nil)),
      ("Q30", "server_error", .unknown, .unknown), ("Q37", "never_heard_of", .answer, .request),
    ] as [(String, String, OutcomeClass, OutcomeClass)], [200, 400])
  func aCodeCountsWhateverTheStatus(
    row: (String, code: String, refresh: OutcomeClass, signIn: OutcomeClass), status: Int
  ) {
    let body = #"{"ok":false,"error":"\#(row.code)","error_description":"because"}"#
    #expect(reader.read(body, status: status).class == row.refresh)
    #expect(reader.read(body, status: status, .signIn).class == row.signIn)
    #expect(reader.read("error=\(row.code)", status: status, type: nil).class == row.refresh)
    let message = "sso.example.org:443 answered HTTP \(status) \(row.code): because"
    #expect(reader.read(body, status: status).message == message)
  }

  @Test(
    arguments: [
      ("Q27", 401, "invalid_client", .client), ("Q27", 401, "unauthorized_client", .client),
      ("Q27", 401, "invalid_grant", .revoked), ("R19", 403, "invalid_grant", .revoked),
      ("R19", 403, "interaction_required", .policy), ("R19", 302, "invalid_grant", .revoked),
      ("R19", 404, "not_found", .notSent), ("R19", 403, "Forbidden", .notSent), ("R19", 401, "Unauthorized", .notSent),
      ("R19", 422, "never_heard_of", .answer),
    ] as [(String, Int, String, OutcomeClass)])
  func aCodeThatIsKnownCountsBeforeTheStatus(row: String, status: Int, code: String, outcome: OutcomeClass) {
    #expect(reader.read(#"{"error":"\#(code)"}"#, status: status).class == outcome)
  }

  @Test(
    arguments: [
      ("Q37", #"{"errors":[{"errorType":"invalid_grant","message":"gone"}],"success":false}"#, .revoked),
      ("Q37", #"{"errors":[{"errorType":"expired_token","message":"gone"}],"success":false}"#, .expired),
      ("Q37", #"{"error":{"message":"gone","type":"OAuthException","code":190}}"#, .answer),
      ("Q37", #"{"error":{"code":"invalid_client"}}"#, .client), ("Q37", #"{"error":["invalid_grant"]}"#, .revoked),
      ("Q37", #"{"code":"invalid_grant"}"#, .revoked), ("Q37", #"{"error":{}}"#, .answer),
      ("Q37", #"{"error":[]}"#, .answer), ("Q37", #"{"error":[1,2]}"#, .answer), ("Q37", #"{"error":12}"#, .answer),
      ("Q37", #"{"error":1e300}"#, .answer), ("Q37", #"{"error":true}"#, .answer),
      ("Q37", #"{"error":[[[]]]}"#, .answer), ("Q26", #"{"ok":false,"error":"invalid_refresh_token"}"#, .revoked),
    ] as [(String, String, OutcomeClass)])
  func anErrorIsFoundInEveryShape(row: String, body: String, outcome: OutcomeClass) {
    #expect(reader.read(body, status: 400).class == outcome)
  }

  // MARK: By the status

  @Test(
    arguments: [
      ("Q29", 408, nil, .throttled(nil)), ("R19", 425, nil, .throttled(nil)), ("Q29", 429, nil, .throttled(nil)),
      ("R18", 429, "7", .throttled(.seconds(7))), ("R18", 408, "7", .throttled(.seconds(7))),
      ("R18", 429, "99999", .throttled(.seconds(3600))), ("R18", 429, "-1", .throttled(nil)),
      ("R18", 429, "Sun, 06 Nov 1994 08:49:37 GMT", .throttled(nil)),
      ("Q28", 500, nil, .unknown), ("R18", 500, "7", .unknown), ("Q29", 502, nil, .unknown), ("R6", 503, nil, .unknown),
      ("R6", 503, "7", .throttled(.seconds(7))), ("R18", 503, "soon", .unknown), ("Q29", 504, nil, .unknown),
      ("R19", 520, nil, .unknown), ("R19", 599, nil, .unknown),
    ] as [(String, Int, String?, OutcomeClass)])
  func someStatusesCountWhateverTheBody(row: String, status: Int, retryAfter: String?, outcome: OutcomeClass) {
    for body in [#"{"error":"invalid_grant"}"#, "", "<html>", #"{"access_token":"at"}"#, #"{"error":"server_error"}"#] {
      for (purpose, reader) in [(TokenAnswer.Purpose.refresh, reader), (.signIn, reader), (.refresh, json)] {
        let result = reader.read(body, status: status, retryAfter: retryAfter, purpose)
        #expect(result.class == outcome)
        #expect(result.message.contains("HTTP \(status)"))
      }
    }
  }

  @Test(arguments: [
    (500, ""), (502, "<html>"), (504, #"{"error":"invalid_grant"}"#), (400, #"{"error":"server_error"}"#),
  ])
  func r18AProviderThatFailedMaySayWhenToComeBack(status: Int, body: String) {
    guard case .unknown(_, let wait) = reader.read(body, status: status, retryAfter: "7") else {
      Issue.record("known")
      return
    }
    #expect(wait == .seconds(7))
  }

  @Test func r6A503ThatSaysItIsTemporaryWasNotProcessed() {
    #expect(reader.read(#"{"error":"temporarily_unavailable"}"#, status: 503).class == .throttled(nil))
  }

  @Test(
    arguments: [
      ("R19", 301, "", .notSent, .request), ("Q33", 307, "<html>", .notSent, .request),
      ("R19", 401, "", .notSent, .revoked), ("Q32", 401, "<html>", .notSent, .request),
      ("R19", 403, "", .notSent, .request), ("Q32", 403, "<html>", .notSent, .request),
      ("R19", 404, "", .notSent, .request), ("R19", 405, "", .notSent, .request),
      ("Q32", 407, "<html>", .notSent, .request), ("Q32", 400, "<html>", .notSent, .request),
      ("R19", 400, "", .unexplained, .request), ("R19", 400, " \r\n", .unexplained, .request),
      ("R19", 400, "no", .answer, .request), ("R19", 400, "{}", .answer, .request),
      ("R19", 204, "", .unknown, .answer),
    ] as [(String, Int, String, OutcomeClass, OutcomeClass)])
  func aStatusWithoutAnErrorCostsNoSession(
    row: String, status: Int, body: String, refresh: OutcomeClass, signIn: OutcomeClass
  ) {
    #expect(reader.read(body, status: status, type: nil).class == refresh)
    #expect(reader.read(body, status: status, type: nil, .signIn).class == signIn)
  }

  @Test(
    arguments: [
      (403, "<html>", .throttled(.seconds(7))), (404, "", .throttled(.seconds(7))), (400, "", .throttled(.seconds(7))),
      (400, #"{"error":"never_heard_of"}"#, .throttled(.seconds(7))),
      (400, #"{"error":"invalid_request"}"#, .throttled(.seconds(7))), (400, #"{"error":"invalid_grant"}"#, .revoked),
      (401, #"{"error":"invalid_client"}"#, .client), (400, #"{"error":"slow_down"}"#, .throttled(.seconds(7))),
      (302, "", .notSent),
    ] as [(Int, String, OutcomeClass)])
  func r18AWaitCountsWithEveryRefusalThatIsNoVerdict(status: Int, body: String, outcome: OutcomeClass) {
    #expect(reader.read(body, status: status, retryAfter: "7").class == outcome)
  }

  // MARK: Microsoft and Google

  @Test(
    arguments: [
      ("Q39", "invalid_grant", "", "[70043]", .policy, "your organization limits how long a sign-in lasts"),
      ("Q39", "invalid_grant", "bad_token", "[700082]", .expired, "a refresh token ends where it is not used for long"),
      ("Q39", "invalid_grant", "", #"["70008"]"#, .expired, "a refresh token ends where it is not used for long"),
      ("Q39", "invalid_grant", "", "[50173]", .revoked, "the password has changed"),
      ("Q39", "interaction_required", "basic_action", "[50076]", .policy, "your organization asks for a second factor"),
      ("Q39", "invalid_grant", "", "[50079]", .policy, "your organization asks for a second factor"),
      ("Q39", "interaction_required", "message_only", "[53003]", .policy, "a conditional access policy"),
      ("Q39", "invalid_grant", "consent_required", "[65001]", .policy, "you or an administrator must consent"),
      ("Q40", "invalid_grant", "", "[70000]", .revoked, "for a personal account the token endpoint must be"),
      ("Q38", "invalid_grant", "bad_token", "[1]", .revoked, nil),
      ("Q38", "invalid_grant", "token_expired", "[]", .expired, nil),
      ("Q38", "invalid_grant", "user_password_expired", "{}", .policy, nil),
      ("Q34", "invalid_grant", "invalid_rapt", "null", .policy, nil),
      // The numbers decide nothing by themselves.
      ("Q38", "never_heard_of", "", "[700082]", .answer, "a refresh token ends where it is not used for long"),
      ("Q38", "temporarily_unavailable", "", "[700082]", .throttled(nil), nil),
      ("Q38", "invalid_client", "", "[50173]", .client, "the password has changed"),
      ("Q38", "never_heard_of", "consent_required", "[]", .policy, nil),
    ] as [(String, String, String, String, OutcomeClass, String?)])
  func theClassIsOfTheErrorAndTheReasonOfTheDetails(
    row: String, error: String, detail: String, numbers: String, outcome: OutcomeClass, hint: String?
  ) {
    let body = #"{"error":"\#(error)","suberror":"\#(detail)","error_codes":\#(numbers)}"#
    let result = reader.read(body, status: 400)
    #expect(result.class == outcome)
    let advice = result.rejection?.hint
    #expect(hint.map { advice?.hasPrefix($0) == true } ?? (advice == nil), "\(advice ?? "none")")
  }

  @Test func q38TheIdsOfAnAnswerAreShownInOneLine() {
    let body = #"""
      {"error":"invalid_grant","suberror":"bad_token","error_codes":[700082,70000],"timestamp":"x","claims":"{}",
      "error_description":"AADSTS700082: The refresh token has expired.\r\nTrace ID: 1-2\r\nCorrelation ID: 3-4",
      "trace_id":"1-2","correlation_id":"3-4\nforged"}
      """#
    #expect(
      reader.read(body, status: 400).message
        == "sso.example.org:443 answered HTTP 400 invalid_grant (bad_token): AADSTS700082: The refresh token has expired. "
        + "Trace ID: 1-2 Correlation ID: 3-4 [error_codes 700082 70000, trace_id 1-2, correlation_id 3-4 forged]")
  }

  // MARK: What the configuration knows better

  @Test(
    arguments: [
      ("revoked", 400, .revoked, .revoked), ("policy", 400, .policy, .policy), ("client", 403, .client, .client),
      ("transient", 401, .throttled(nil), .throttled(nil)), ("request", 401, .request, .request),
      ("revoked", 200, .revoked, .revoked), ("revoked", 500, .unknown, .unknown),
      ("transient", 503, .throttled(nil), .throttled(nil)),
    ] as [(String, Int, OutcomeClass, OutcomeClass)])
  func theClassesOfTheConfigurationComeFirst(
    name: String, status: Int, oauth: OutcomeClass, json: OutcomeClass
  ) throws {
    var habits = ProviderHabits()
    habits.errorClasses = ["invalid_grant": try #require(.init(rawValue: name))]
    let body = #"{"error":"invalid_grant"}"#
    #expect(AnswerReader(habits: habits).read(body, status: status).class == oauth)
    #expect(AnswerReader(kind: AnswerReader.json, habits: habits).read(body, status: status).class == json)
  }

  @Test(arguments: [
    (["AADSTS50076": "number", "basic_action": "detail", "invalid_grant": "code"], "number"),
    (["basic_action": "detail", "invalid_grant": "code"], "detail"), (["invalid_grant": "code"], "code"),
    (["other": "x"], "your organization asks for a second factor"),
  ])
  func theHintOfTheConfigurationComesFirst(hints: [String: String], hint: String) {
    var habits = ProviderHabits()
    habits.hints = hints
    let body = #"{"error":"invalid_grant","suberror":"basic_action","error_codes":[50076]}"#
    #expect(AnswerReader(habits: habits).read(body, status: 400).rejection?.hint == hint)
  }

  // MARK: JSON logins

  @Test(
    arguments: [
      (400, .revoked, .revoked), (401, .revoked, .revoked), (403, .revoked, .revoked), (404, .revoked, .notSent),
      (422, .revoked, .answer), (405, .request, .notSent), (302, .request, .notSent), (500, .unknown, .unknown),
      (429, .throttled(nil), .throttled(nil)), (200, .answer, .unknown),
    ] as [(Int, OutcomeClass, OutcomeClass)])
  func r19AJSONLoginIsJudgedByItsStatus(status: Int, signIn: OutcomeClass, refresh: OutcomeClass) {
    let body = #"{"message":"wrong password"}"#
    #expect(json.read(body, status: status, .signIn).class == signIn)
    #expect(json.read(body, status: status).class == refresh)
  }

  @Test func aFirewallDoesNotEndTheSessionOfAJSONLogin() {
    #expect(json.read("<html>", status: 403, type: "text/html").class == .notSent)
    #expect(json.read("", status: 403, retryAfter: "7").class == .throttled(.seconds(7)))
    #expect(json.read("", status: 401, retryAfter: "7", .signIn).class == .revoked)
  }

  @Test func aJSONLoginMaySayWhyTheTokenIsDead() {
    #expect(json.read(#"{"code":"token_expired"}"#, status: 401).class == .expired)
  }

  // MARK: Messages

  @Test func r31AMessageIsOneLineWithoutSecrets() {
    let body = #"{"error":"invalid_grant","error_description":"the token s3cr3t\r\nhas\u0007expired"}"#
    let message = AnswerReader(secrets: [Secret("s3cr3t")]).read(body, status: 400).message
    #expect(message == "sso.example.org:443 answered HTTP 400 invalid_grant: the token <redacted> has expired")
  }

  @Test(arguments: [
    "old/refresh+token", "old%2Frefresh%2Btoken", "old%2frefresh%2btoken", "b2xkL3JlZnJlc2grdG9rZW4=",
    "b2xkL3JlZnJlc2grdG9rZW4", "old/refresh+toke", "new-refresh-token", "new-access-token", "new-id-token-1",
  ])
  func r31ATokenIsRemovedHoweverItIsSpelled(text: String) {
    let body = #"""
      {"refresh_token":"new-refresh-token","access_token":"new-access-token","id_token":"new-id-token-1",
      "error":"invalid_grant","error_description":"no token \#(text)!"}
      """#
    let message = AnswerReader(secrets: [Secret("old/refresh+token")]).read(body, status: 400).message
    #expect(message.hasPrefix("sso.example.org:443 answered HTTP 400 invalid_grant: no token <redacted>"))
    #expect(!message.contains(text))
  }
}

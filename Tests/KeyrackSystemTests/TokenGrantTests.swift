import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// Answers of success. The rows bear the numbers of the providers' habits that they are of.
@Suite struct TokenGrantTests {
  private let reader = AnswerReader()

  private func grant(_ members: String, _ reader: AnswerReader = AnswerReader()) throws -> Grant {
    let outcome = reader.read(#"{"access_token":"at","refresh_token":"rt",\#(members)"x":0}"#)
    return try #require(outcome.grant, "\(outcome)")
  }

  // MARK: Shape

  @Test(
    arguments: [
      ("Q01", "access_token=at&refresh_token=rt", "application/x-www-form-urlencoded"),
      ("Q02", "access_token=at&refresh%5Ftoken=%72t&x=", "text/plain"),
      ("Q02", #"{"access_token":"at","refresh_token":"rt"}"#, "text/html"),
      ("Q24", "\u{FEFF} \r\n\t{\"access_token\":\"at\",\"refresh_token\":\"rt\"}\n ", "application/json"),
      ("Q24", #"{"access_token":"at","refresh_token":"rt","access_token":"at"}"#, nil),
      ("Q25", #"{"access_token":"at","refresh_token":"rt"}"#, "application/json; charset=utf-8"),
      ("Q25", #"{"access_token":"at","refresh_token":"rt"}"#, nil),
      ("Q25", "access_token=at&refresh_token=rt", nil),
      ("Q26", #"{"access_token":"at","refresh_token":"rt","error":null}"#, nil),
      ("Q26", #"{"access_token":"at","refresh_token":"rt","error":"","ok":true}"#, nil),
      ("Q37", #"{"access_token":"at","refresh_token":"rt","error":false,"code":0,"a":[1,{"b":[null]}]}"#, nil),
    ] as [(String, String, String?)])
  func aGrantIsFoundInEveryDress(row: String, body: String, type: String?) {
    #expect(reader.read(body, type: type).grant == Grant(accessToken: Secret("at"), refreshToken: Secret("rt")))
  }

  @Test(arguments: [
    ("R19", ""), ("R19", " "), ("R19", "{"), ("R19", "null"), ("R19", "[]"), ("R19", "OK"), ("R19", "{}"),
    ("R19", #"{"access_token":"at""#), ("Q24", #"{"access_token":"at"} trailing"#),
    ("R19", #"{"access_token":"at","n":NaN}"#), ("Q02", "<html>access_token=at</html>"),
    ("Q20", #"{"accessToken":"at","refreshToken":"rt"}"#), ("R19", "a=b"), ("R19", "\u{0}{\u{0}\""),
    ("R19", #"{"access_token":"at","x":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#),
    ("R19", #"{"access_token":""}"#), ("R19", #"{"access_token":["at"]}"#), ("R19", #"{"access_token":null}"#),
  ])
  func whatIsNoAnswerIsInDoubtOnRefreshAndFailsASignIn(row: String, body: String) {
    #expect(reader.read(body).class == .unknown)
    #expect(reader.read(body, .signIn).class == .answer)
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      #"{\#(String(repeating: #""a":{},"#, count: 150_000))"access_token":"at"}"#,
      #"{"error":[\#(String(repeating: "{},", count: 340_000)){}],"access_token":"at"}"#,
      #"{"error_codes":[\#(String(repeating: "1,", count: 340_000))1],"error":"at"}"#,
      #"{"scope":[\#(String(repeating: #""a","#, count: 250_000))7],"access_token":"at"}"#,
      #"{"x":[\#(String(repeating: "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],", count: 25_000))7],"access_token":"at"}"#,
      "access_token=at\(String(repeating: "&a=", count: 340_000))",
      #"{"access_token":"at","error":"\#(String(repeating: "\\n", count: 500_000))"}"#,
      #"{"access_token":"\#(String(repeating: "a", count: 500_000))","error":"\#(String(repeating: "a", count: 500_000))"}"#,
      #"{"access_token":"\#(String(repeating: "a", count: 500_000))b","error":"\#(String(repeating: "a", count: 500_000))"}"#,
    ])
  func aHostileAnswerIsReadInTime(body: String) {
    _ = reader.read(body, type: nil)
  }

  @Test(arguments: ["text/html", nil])
  func q31ACaptivePortalIsNoVerdict(type: String?) {
    #expect(reader.read("<!DOCTYPE html><p>Welcome to the hotel", type: type).class == .unknown)
    #expect(reader.read("<!DOCTYPE html>", type: type, .signIn).class == .answer)
  }

  @Test func q22ALargeAccessTokenWithOddCharactersArrivesIntact() {
    let token = "A+/=.~|-_!\"" + String(repeating: "x", count: 64 << 10)
    let body = #"{"access_token":"\#(token.replacing("\"", with: "\\\""))","id_token":"e","new":[{}]}"#
    #expect(reader.read(body).grant?.accessToken == Secret(token))
  }

  @Test(
    arguments: [
      (["authed_user"], #"{"ok":true,"access_token":"bot","authed_user":{"access_token":"at","refresh_token":"rt"}}"#),
      (["data", "tokens"], #"{"data":{"tokens":{"access_token":"at","refresh_token":"rt"}}}"#),
      (["authed_user"], #"{"ok":true,"access_token":"at","refresh_token":"rt"}"#),
      (["a"], #"{"a":7,"access_token":"at","refresh_token":"rt"}"#), (["a"], "access_token=at&refresh_token=rt"),
    ] as [([String], String)])
  func q21TokensAreFoundWhereThePathLeads(path: [String], body: String) {
    var habits = ProviderHabits()
    habits.tokenPath = path
    let grant = Grant(accessToken: Secret("at"), refreshToken: Secret("rt"))
    #expect(AnswerReader(habits: habits).read(body).grant == grant)
  }

  @Test func q20AMissingTokenIsNamed() {
    var habits = ProviderHabits()
    let body = #"{"accessToken":"at","authed_user":{"accessToken":"at"}}"#
    #expect(reader.read(body).message == "sso.example.org:443 answered without access_token")
    habits.tokenPath = ["authed_user"]
    #expect(
      AnswerReader(habits: habits).read(body).message == "sso.example.org:443 answered without authed_user.access_token"
    )
  }

  // MARK: The refresh token comes first

  @Test(arguments: [
    #""access_token":"a b""#, #""access_token":"a\nb""#, #""access_token":"ä""#, #""access_token":"""#,
    #""access_token":7"#, #""token_type":"DPoP","access_token":"at""#, #""token_type":"mac","access_token":"at""#,
    #""x":1"#, #""error":"invalid_scope""#, #""error":"never_heard_of""#, #""error":{"code":190}"#,
    #""error":"temporarily_unavailable""#, #""error":"server_error""#, #""error":"invalid_client""#,
  ])
  func r16bANewRefreshTokenSurvivesEveryOtherDefect(members: String) {
    #expect(reader.read(#"{"refresh_token":"rt",\#(members)}"#).rejection?.refreshToken == Secret("rt"))
    var habits = ProviderHabits()
    habits.tokenPath = ["t"]
    let nested = #"{"t":{"refresh_token":"rt","access_token":"a b"}}"#
    #expect(AnswerReader(habits: habits).read(nested).rejection?.refreshToken == Secret("rt"))
  }

  @Test(arguments: [#""""#, "null", "7", "true", "[]", "{}", #""a\u0000b""#, #""a\nb""#])
  func q17ARefreshTokenThatIsNoneCountsAsAbsent(value: String) throws {
    let outcome = reader.read(#"{"access_token":"at","refresh_token":\#(value)}"#)
    #expect(try #require(outcome.grant).refreshToken == nil)
  }

  // MARK: Members

  @Test(
    arguments: [
      ("R16b", "3600", .seconds(3600)), ("Q04", #""3599""#, .seconds(3599)), ("Q05", "3599.9", .seconds(3599)),
      ("Q05", #""3599.5""#, .seconds(3599)), ("Q04", #"" 60""#, .seconds(60)), ("Q05", "1e3", .seconds(1000)),
      ("Q06", "null", nil), ("R16b", "true", nil), ("R16b", "{}", nil), ("R16b", "[]", nil), ("R16b", "[1]", nil),
      ("R16b", #""soon""#, nil), ("R16b", #"""# + #"""#, nil), ("R16b", #""nan""#, nil), ("R16b", #""inf""#, nil),
      ("R16b", #""0x10""#, nil), ("Q08", "0", .zero), ("Q09", "-96", .zero), ("Q09", #""-1""#, .zero),
      ("R16b", "1e400", .seconds(31_536_000)), ("Q10", "2147483648", .seconds(31_536_000)),
      ("Q10", "18446744073709551615", .seconds(31_536_000)), ("Q10", "9223372036854775808", .seconds(31_536_000)),
      ("R16b", #""1e400""#, .seconds(31_536_000)), ("R16b", "1e19", .seconds(31_536_000)),
      ("Q10", #""99999999999999999999""#, .seconds(31_536_000)),
    ] as [(String, String, Duration?)])
  func aLifetimeIsUnderstoodInEveryShape(row: String, value: String, lifetime: Duration?) throws {
    let grant = try grant(#""expires_in":\#(value),"#)
    #expect(grant.lifetime == lifetime)
    #expect(grant.refreshToken == Secret("rt"))
  }

  @Test(
    arguments: [
      ("Q03", #""expires":60,"#, .seconds(60)), ("Q03", #""expires_in":null,"expires":60,"#, .seconds(60)),
      ("Q03", #""expires_in":30,"expires":60,"#, .seconds(30)), ("Q07", "", nil),
      ("Q11", #""expires_at":"2030-01-01T00:00:00Z","expiresAt":1,"#, nil),
    ] as [(String, String, Duration?)])
  func theOldNameOfALifetimeIsUnderstood(row: String, members: String, lifetime: Duration?) throws {
    #expect(try grant(members).lifetime == lifetime)
  }

  @Test func q11ALifetimeMayBeInMilliseconds() throws {
    var habits = ProviderHabits()
    habits.expiresInUnit = .milliseconds(1)
    let grant = try grant(
      #""expires_in":3600999,"refresh_in":"1800000","refresh_token_expires_in":7000,"#, AnswerReader(habits: habits))
    #expect(grant.lifetime == .seconds(3600))
    #expect(grant.refreshIn == .seconds(1800))
    #expect(grant.refreshLifetime == .seconds(7))
  }

  @Test(
    arguments: [
      (#""expires_in":3600,"refresh_in":1800,"#, .seconds(1800)), (#""expires_in":3600,"refresh_in":3600,"#, nil),
      (#""expires_in":3600,"refresh_in":7200,"#, nil), (#""refresh_in":1800,"#, nil),
      (#""expires_in":3600,"refresh_in":0,"#, nil), (#""expires_in":3600,"refresh_in":-5,"#, nil),
      (#""expires_in":3600,"refresh_in":true,"#, nil), (#""expires_in":3600,"#, nil),
    ] as [(String, Duration?)])
  func r16aTheTimeToRefreshIsTakenWhereItIsBeforeTheEnd(members: String, refreshIn: Duration?) throws {
    #expect(try grant(members).refreshIn == refreshIn)
  }

  @Test(
    arguments: [
      (#""refresh_token_expires_in":15897600,"#, .seconds(15_897_600)),
      (#""refresh_expires_in":1800,"#, .seconds(1800)), (#""refresh_expires_in":0,"#, nil),
      (#""x_refresh_token_expires_in":"60","#, .seconds(60)),
      (#""refresh_token_expires_at":1800000060,"#, .seconds(60)),
      (#""refresh_token_expires_at":"1800000060","#, .seconds(60)),
      (#""refresh_token_expires_at":1800000060000,"#, .seconds(60)), (#""refresh_token_expires_at":1,"#, nil),
      (#""refresh_token_expires_at":"soon","#, nil), (#""refresh_token_expires_at":1e400,"#, .seconds(31_536_000)),
      ("", nil),
    ] as [(String, Duration?)])
  func q19TheLifetimeOfARefreshTokenIsUnderstood(members: String, lifetime: Duration?) throws {
    #expect(try grant(members).refreshLifetime == lifetime)
  }

  @Test(arguments: [
    ("Q12", #""token_type":"bearer","#), ("Q12", #""token_type":"BEARER","#), ("Q13", ""),
    ("Q13", #""token_type":null,"#), ("Q13", #""token_type":7,"#), ("Q13", #""token_type":"User Access Token","#),
    ("Q13", #""token_type":"bot","#), ("Q13", #""token_type":"","#),
  ])
  func aTokenIsABearerTokenUnlessItSaysWhatItIs(row: String, members: String) throws {
    #expect(try grant(members).tokenType == "Bearer")
  }

  @Test(arguments: ["DPoP", "dpop", "mac", "PoP", "N_A"])
  func r26ATokenThatNeedsAProofIsNotHandedOut(type: String) {
    let outcome = reader.read(#"{"access_token":"at","refresh_token":"rt","token_type":"\#(type)"}"#)
    #expect(outcome.rejection?.cause == .answer)
    #expect(outcome.message == "sso.example.org:443 answered with a token of type \(type)")
  }

  @Test(
    arguments: [
      (#""a b""#, "a b"), (#""a,b""#, "a b"), (#""a, b""#, "a b"), (#"["a","b"]"#, "a b"), ("null", nil), ("7", nil),
      (#""""#, nil), ("[]", nil), (#""a\u0007b""#, "a b"), ("{}", nil), (#""a|b""#, "a|b"),
    ] as [(String, String?)])
  func q14AScopeIsUnderstoodInEveryShape(value: String, scope: String?) throws {
    #expect(try grant(#""scope":\#(value),"#).scope == scope)
  }

  @Test func q49AScopeIsSplitAtTheProvidersSeparator() throws {
    var habits = ProviderHabits()
    habits.scopeSeparator = "|"
    #expect(try grant(#""scope":"a|b c","#, AnswerReader(habits: habits)).scope == "a b c")
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
    #expect(AnswerReader(kind: AnswerReader.json).read(body, .signIn).grant == expected)
  }

  @Test func noOutcomePrintsAToken() {
    let body = #"{"access_token":"s3cr3t-a","refresh_token":"s3cr3t-r"}"#
    #expect(!String(reflecting: reader.read(body)).contains("s3cr3t"))
    let odd = #"{"access_token":"s3cr3t a","refresh_token":"s3cr3t-r"}"#
    #expect(!String(reflecting: reader.read(odd)).contains("s3cr3t"))
  }
}

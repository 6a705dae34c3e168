import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// RFC 6749, section 4.1.3.
@Suite(.timeLimit(.minutes(1))) struct CodeExchangeTests {
  private static let request = AuthorizationRequest(
    url: "https://a.example", redirectURI: "http://127.0.0.1:8400/cb/?a=b", state: "st", nonce: "no",
    verifier: Secret("verifier-verifier"))

  private func exchange(_ fixture: SignInFixture) async -> TokenOutcome {
    await fixture.client.exchange(Secret("co/de+code-code"), of: Self.request, account: fixture.account)
  }

  @Test func q50ACodeIsSentWithTheRedirectURIToTheByte() async throws {
    var fixture = try SignInFixture([answer(200, #"{"access_token":"at","refresh_token":"rt","id_token":"e.y.j"}"#)])
    fixture.habits.tokenParameters = [.init(name: "audience", value: "x y")]
    let grant = try #require(await exchange(fixture).grant)
    #expect(grant.accessToken == Secret("at") && grant.refreshToken == Secret("rt"))
    #expect(grant.idToken == Secret("e.y.j"))
    #expect(
      fixture.bodies == [
        "grant_type=authorization_code&code=co%2Fde%2Bcode-code"
          + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcb%2F%3Fa%3Db&client_id=key%20rack"
          + "&code_verifier=verifier-verifier&audience=x%20y"
      ])
  }

  @Test func q58ACodeMayBeSentAsJSON() async throws {
    var fixture = try SignInFixture([answer(200, #"{"access_token":"at"}"#)], authentication: .basic)
    fixture.habits.tokenBody = .json
    #expect(await exchange(fixture).grant != nil)
    #expect(
      fixture.bodies == [
        #"{"grant_type":"authorization_code","code":"co/de+code-code","#
          + #""redirect_uri":"http://127.0.0.1:8400/cb/?a=b","code_verifier":"verifier-verifier"}"#
      ])
  }

  @Test(arguments: [
    #"{"authed_user":{"access_token":"at","id_token":"e.y.j"}}"#,
    #"{"id_token":"e.y.j","authed_user":{"access_token":"at"}}"#,
  ])
  func q21AnIDTokenIsFoundBesideTheTokensOrAtTheTop(body: String) async throws {
    var fixture = try SignInFixture([answer(200, body)])
    fixture.habits.tokenPath = ["authed_user"]
    #expect(await exchange(fixture).grant?.idToken == Secret("e.y.j"))
  }

  @Test(
    arguments: [
      (400, #"{"error":"invalid_grant"}"#, .revoked), (500, #"{"error":"invalid_grant"}"#, .unknown),
      (502, "<html>", .unknown), (200, #"{"error":"bad_verification_code"}"#, .request), (200, "<html>", .answer),
      (429, "", .throttled(nil)), (302, "", .request),
    ] as [(Int, String, OutcomeClass)])
  func theAnswerToACodeIsUnderstood(status: Int, body: String, expected: OutcomeClass) async throws {
    let fixture = try SignInFixture([answer(status, body)])
    #expect(await exchange(fixture).class == expected)
    #expect(fixture.server.requests.count == 1)
  }

  @Test func aCodeWhoseAnswerIsLostIsOfUnknownFateAndNotSentAgain() async throws {
    let fixture = try SignInFixture([""])
    let server = ScriptedServer { peer in _ = peer.readRequest() }
    var lost = fixture
    lost.oauth.endpoints.token = server.url + "/token"
    #expect(await exchange(lost).class == .unknown)
    #expect(server.requests.count == 1)
  }

  @Test func neitherCodeNorVerifierIsInAMessage() async throws {
    let said = #"co/de+code-code co%2fde%2bcode-code verifier-verifier s3cr3t/"#
    let body = #"{"error":"invalid_request","error_description":"\#(said)"}"#
    let fixture = try SignInFixture([answer(400, body)], authentication: .post)
    let message = await exchange(fixture).message
    #expect(message.hasSuffix(": <redacted> <redacted> <redacted> <redacted>"), "\(message)")
  }
}

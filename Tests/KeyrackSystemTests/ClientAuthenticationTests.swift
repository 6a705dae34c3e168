import FoundationEssentials
import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// RFC 6749, section 2.3: one method, in every request that the client makes.
@Suite(.timeLimit(.minutes(1))) struct ClientAuthenticationTests {
  private static let tokens = answer(200, #"{"access_token":"at"}"#)
  private static let device = DeviceAuthorization(
    deviceCode: Secret("dc"), userCode: "U", verificationURI: "https://a.example", lifetime: .seconds(900))
  private static let request = AuthorizationRequest(
    url: "", redirectURI: "http://127.0.0.1/", state: "s", nonce: nil, verifier: Secret("v"))
  private static let assertionType = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"

  /// What a refresh says beside its grant, and its header.
  @Test(
    arguments: [
      (.none, "&client_id=key%20rack", nil),
      (.post, "&client_id=key%20rack&client_secret=s3cr3t%2F", nil),
      (.basic, "", "Basic " + Data("key%20rack:s3cr3t%2F".utf8).base64EncodedString()),
      (
        .privateKey(keyID: "k"),
        "&client_id=key%20rack&client_assertion_type=\(assertionType)&client_assertion=k%2Cs3cr3t%2F%2Ckey%20rack%2CTOKEN",
        nil
      ),
      (
        .apple(teamID: "T", keyID: "k"),
        "&client_id=key%20rack&client_secret=T%2Ck%2Cs3cr3t%2F%2Ckey%20rack%2Chttps%3A%2F%2Fappleid.apple.com", nil
      ),
    ] as [(ClientAuthentication, String, String?)])
  func q56EveryMethodIsOneAndNoOther(
    method: ClientAuthentication, members: String, header: String?
  ) async throws {
    let fixture = try SignInFixture([Self.tokens], authentication: method)
    _ = await fixture.client.refresh(Secret("rt"), for: .standard, account: fixture.account)
    let token = String(decoding: FormEncoding.escaped(Secret(fixture.server.url + "/token")).bytes, as: UTF8.self)
    #expect(
      fixture.bodies
        == ["grant_type=refresh_token&refresh_token=rt" + members.replacing("TOKEN", with: token)])
    #expect(fixture.server.requests.map { $0.headers["authorization"] } == [header])
  }

  @Test func q56NameAndSecretAreFormEncodedBeforeTheyAreJoined() throws {
    let credentials = ClientCredentials(clientID: "a:b%c", proof: .basic(Secret("d:e f+ü")))
    guard case .basic(let header)? = credentials.authorization else {
      Issue.record("no header")
      return
    }
    let plain = try #require(Data(base64Encoded: Data(header.bytes)))
    #expect(String(decoding: plain, as: UTF8.self) == "a%3Ab%25c:d%3Ae%20f%2B%C3%BC")
  }

  @Test(arguments: [ClientAuthentication.post, .basic])
  func everyRequestOfAClientProvesWhoAsks(method: ClientAuthentication) async throws {
    var fixture = try SignInFixture([Self.tokens], authentication: method)
    fixture.oauth.allowsPasswordGrant = true
    fixture.oauth.endpoints.pushedAuthorization = fixture.server.url + "/par"
    let (client, account) = (fixture.client, fixture.account)
    _ = await client.signIn(username: "me", password: Secret("pw"), account: account)
    _ = await client.refresh(Secret("rt"), for: .standard, account: account)
    _ = await client.exchange(Secret("c"), of: Self.request, account: account)
    _ = await client.beginDevice(account)
    _ = await client.poll(Self.device, account: account)
    _ = await client.authorize(SignInFixture.wish, account: account)
    _ = await client.revoke(Self.revocation(account), provider: account.provider)
    #expect(fixture.server.requests.count == 7)
    for request in fixture.server.requests {
      #expect(request.body.contains("client_secret=s3cr3t%2F") == (method == .post), "\(request)")
      #expect((request.headers["authorization"] != nil) == (method == .basic), "\(request)")
    }
  }

  @Test(
    arguments: [
      (nil, .post, "the keyring has no client secret"), (nil, .basic, "the keyring has no client secret"),
      ("", .post, "the client secret for the provider corp is empty"),
      ("", .basic, "the client secret for the provider corp is empty"),
      ("", .apple(teamID: "T", keyID: "k"), "the client secret for the provider corp is empty"),
      ("broken", .privateKey(keyID: nil), "the client secret is no private key"),
    ] as [(String?, ClientAuthentication, String)])
  func q57WithoutItsSecretAClientAsksNothing(
    secret: String?, method: ClientAuthentication, message: String
  ) async throws {
    var fixture = try SignInFixture([Self.tokens], secret: secret, authentication: method)
    fixture.habits.pushedAuthorization = .required
    fixture.oauth.endpoints.pushedAuthorization = fixture.server.url + "/par"
    let (client, account) = (fixture.client, fixture.account)
    #expect(await client.refresh(Secret("rt"), for: .standard, account: account) == .notSent(message))
    #expect(await client.exchange(Secret("c"), of: Self.request, account: account) == .notSent(message))
    #expect(await client.beginDevice(account).failure == .unavailable(message))
    #expect(await client.poll(Self.device, account: account) == .ended(.notSent(message)))
    #expect(await client.authorize(SignInFixture.wish, account: account).failure == .unavailable(message))
    let revoked = await client.revoke(Self.revocation(account), provider: account.provider)
    #expect(revoked == .failed(message))
    #expect(fixture.server.connections == 0)
  }

  @Test func aSecretThatIsRepeatedIsKeptOut() async throws {
    let body = #"{"error":"invalid_client","error_description":"no s3cr3t/ here"}"#
    let fixture = try SignInFixture([answer(401, body)], authentication: .basic)
    let outcome = await fixture.client.refresh(Secret("rt"), for: .standard, account: fixture.account)
    #expect(
      outcome
        == .rejected(
          Rejection(.client, "\(fixture.name) answered HTTP 401 invalid_client: no <redacted> here")))
  }

  // MARK: GitHub

  @Test(
    arguments: [
      (204, .done), (404, .done), (422, .done), (401, .refused("NAME answered HTTP 401")),
      (503, .failed("NAME answered HTTP 503", retryAfter: nil)),
    ] as [(Int, RevocationOutcome)])
  func q75GitHubDeletesATokenAtTheClient(status: Int, expected: RevocationOutcome) async throws {
    var fixture = try SignInFixture([answer(status)], authentication: .post)
    fixture.habits.revocation = .github
    fixture.oauth.endpoints.revocation = fixture.server.url + "/applications/key%20rack/token"
    let outcome = await fixture.client.revoke(Self.revocation(fixture.account), provider: fixture.provider)
    #expect("\(outcome)" == "\(expected)".replacing("NAME", with: fixture.name))
    let request = try #require(fixture.server.requests.first)
    #expect(request.line == "DELETE /applications/key%20rack/token HTTP/1.1")
    #expect(request.body == #"{"access_token":"at"}"#)
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.headers["authorization"] == "Basic " + Data("key%20rack:s3cr3t%2F".utf8).base64EncodedString())
  }

  @Test func q75WithoutAnAccessTokenGitHubCannotBeTold() async throws {
    var fixture = try SignInFixture([answer(204)], authentication: .post)
    fixture.habits.revocation = .github
    let revocation = Self.revocation(fixture.account, accessToken: nil)
    #expect(await fixture.client.revoke(revocation, provider: fixture.provider) == .unsupported)
    #expect(fixture.server.connections == 0)
  }

  private static func revocation(_ account: Account, accessToken: String? = "at") -> Revocation {
    Revocation(
      session: SessionID(), account: account.name, provider: account.provider.name,
      audience: account.provider.audience, refreshToken: Secret("rt"), accessToken: accessToken.map { Secret($0) },
      since: 0)
  }
}

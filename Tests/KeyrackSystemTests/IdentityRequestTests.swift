import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct IdentityRequestTests {
  /// Believes every id_token, and says what it was given.
  private struct TrustingReader: IDTokenReader {
    func identity(
      in token: Secret, of grant: Grant, at occasion: IdentityOccasion, keys: KeySource, _ oauth: Provider.OAuth
    ) async -> Result<Identity, RequestFailure> {
      let token = String(decoding: token.bytes, as: UTF8.self)
      return token == "bad"
        ? .failure(.rejected(Rejection(.answer, "the id_token is bad")))
        : .success(Identity(subject: "\(token) by \(keys.endpoint.name) at \(occasion)", idTokenExpiresAt: 7))
    }
  }

  private static let occasion = IdentityOccasion.signIn(nonce: "n")

  private func fixture(_ answers: [String]) throws -> SignInFixture {
    var fixture = try SignInFixture(answers, idTokens: TrustingReader())
    fixture.oauth.endpoints.userinfo = fixture.server.url + "/userinfo"
    fixture.oauth.endpoints.keys = "https://a.example/keys"
    return fixture
  }

  private func grant(idToken: String? = nil, scope: String? = nil) -> Grant {
    var grant = Grant(accessToken: Secret("a.t-access-token"), scope: scope)
    grant.idToken = idToken.map { Secret($0) }
    return grant
  }

  @Test func anIDTokenIsReadBeforeAnybodyIsAsked() async throws {
    let fixture = try fixture([])
    let identity = await fixture.client.identify(grant(idToken: "e.y.j"), at: Self.occasion, account: fixture.account)
    #expect(identity == .success(Identity(subject: "e.y.j by a.example:443 at \(Self.occasion)", idTokenExpiresAt: 7)))
    let bad = await fixture.client.identify(grant(idToken: "bad"), at: Self.occasion, account: fixture.account)
    #expect(bad.failure == .rejected(Rejection(.answer, "the id_token is bad")))
    #expect(fixture.server.connections == 0)
  }

  @Test func withoutOneTheUserinfoEndpointIsAsked() async throws {
    let fixture = try fixture([answer(200, #"{"sub":"u 1","email":"me@example.org"}"#)])
    let identity = await fixture.client.identify(grant(), at: Self.occasion, account: fixture.account)
    #expect(identity == .success(Identity(subject: "u 1")))
    let request = try #require(fixture.server.requests.first)
    #expect(request.line == "GET /userinfo HTTP/1.1")
    #expect(request.headers["authorization"] == "Bearer a.t-access-token")
  }

  @Test(
    arguments: [
      (["mail"], nil, false), (["mail"], "mail", false), (["mail"], "mail openid", true), (["openid"], "mail", true),
    ] as [([String], String?, Bool)])
  func aSubjectIsAskedForWhereTheScopeIsThere(asked: [String], granted: String?, isAsked: Bool) async throws {
    var fixture = try fixture([answer(200, #"{"sub":"u1"}"#)])
    fixture.scopes = asked
    let identity = try await fixture.client.identify(grant(scope: granted), at: Self.occasion, account: fixture.account)
      .get()
    #expect(identity == (isAsked ? Identity(subject: "u1") : nil))
    #expect(fixture.server.requests.count == (isAsked ? 1 : 0))
  }

  @Test func anIDTokenWithoutKeysProvesNothing() async throws {
    var fixture = try fixture([answer(200, #"{"sub":"u1"}"#)])
    fixture.oauth.endpoints.keys = nil
    let identity = await fixture.client.identify(
      grant(idToken: "e.y.j"), at: Self.occasion, account: fixture.account)
    #expect(identity == .success(Identity(subject: "u1")))
  }

  @Test func whereTheProviderSaysNeitherNobodyKnows() async throws {
    var fixture = try fixture([])
    fixture.oauth.endpoints.userinfo = nil
    #expect(await fixture.client.identify(grant(), at: Self.occasion, account: fixture.account) == .success(nil))
  }

  @Test(
    arguments: [
      (200, #"{"email":"a"}"#, .answer), (200, #"{"sub":7}"#, .answer), (200, #"{"sub":"a\nb"}"#, .answer),
      (200, #"{"sub":"\#(String(repeating: "a", count: 256))"}"#, .answer), (200, "e.y.j", .answer),
      (401, "", .revoked), (403, #"{"error":"insufficient_scope"}"#, .request), (500, "", .notSent),
      (429, "", .throttled(nil)),
    ] as [(Int, String, OutcomeClass)])
  func anAnswerWithoutASubjectIsAFailure(status: Int, body: String, expected: OutcomeClass) async throws {
    let fixture = try fixture([answer(status, body)])
    let result = await fixture.client.identify(grant(), at: Self.occasion, account: fixture.account)
    #expect(result.failure?.class == expected)
  }
}

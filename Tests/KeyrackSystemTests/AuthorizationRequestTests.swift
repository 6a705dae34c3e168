import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct AuthorizationRequestTests {
  private static let pushed = answer(201, #"{"request_uri":"urn:x:1 2","expires_in":60}"#)

  /// The parameters of a URL in their order, `*` for what is random.
  private func parameters(_ request: AuthorizationRequest) throws -> [String] {
    let query = try #require(request.url.split(separator: "?").last)
    let random = [request.state, request.nonce ?? "-", ProofKey.challenge(request.verifier)]
    return query.split(separator: "&").map { pair in
      random.contains { pair.hasSuffix("=" + $0) } ? pair.split(separator: "=")[0] + "=*" : pair.lowercased()
    }
  }

  private static let parameters = [
    "response_type=code", "client_id=key%20rack", "redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcb%2f",
    "scope=openid%20mail", "state=*", "nonce=*", "code_challenge=*", "code_challenge_method=s256",
  ]

  @Test func theURLSaysWhatTheStandardsAskFor() async throws {
    let fixture = try SignInFixture([])
    let request = try await fixture.authorize()
    #expect(request.url.hasPrefix(fixture.server.url + "/authorize?"))
    #expect(try parameters(request) == Self.parameters)
    #expect(request.redirectURI == SignInFixture.wish.redirectURI)
    #expect(request.lifetime == nil)
    #expect(!request.url.contains("+"))
    #expect(fixture.server.connections == 0)
  }

  @Test func stateNonceAndVerifierAre256BitsAndNeverTheSame() async throws {
    let fixture = try SignInFixture([])
    var seen: Set<String> = []
    for _ in 1...20 {
      let request = try await fixture.authorize()
      seen.formUnion([
        request.state, try #require(request.nonce), String(decoding: request.verifier.bytes, as: UTF8.self),
      ])
    }
    #expect(seen.count == 60)
    for text in seen {
      #expect(text.utf8.count == 43)
      #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }
  }

  /// RFC 7636, appendix B.
  @Test func theChallengeIsTheDigestOfTheVerifier() {
    #expect(
      ProofKey.challenge(Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func aQueryOfTheEndpointIsKept() async throws {
    var fixture = try SignInFixture([])
    fixture.oauth.endpoints.authorization = "https://sso.example.org/a?tenant=x%2Fy&z="
    let request = try await fixture.authorize()
    #expect(request.url.lowercased().hasPrefix("https://sso.example.org/a?tenant=x%2fy&z=&response_type=code&"))
  }

  @Test func withoutOpenIDThereIsNoNonceAndWithoutScopesNoScope() async throws {
    var fixture = try SignInFixture([])
    fixture.scopes = ["mail"]
    let some = try await fixture.authorize()
    #expect(some.nonce == nil)
    #expect(
      try parameters(some)
        == Self.parameters.filter { $0 != "nonce=*" }.map { $0 == "scope=openid%20mail" ? "scope=mail" : $0 })
    fixture.scopes = []
    #expect(
      try parameters(try await fixture.authorize())
        == Self.parameters.filter { !$0.hasPrefix("nonce") && !$0.hasPrefix("scope") })
  }

  @Test func q44q47q49AProviderHasItsOwnParametersAndSeparator() async throws {
    var fixture = try SignInFixture([])
    fixture.habits.scopeSeparator = ","
    fixture.habits.loginHintParameter = "login"
    fixture.habits.authorizationParameters = [
      .init(name: "access_type", value: "offline"), .init(name: "audience", value: "a b&c"),
      .init(name: "state", value: "x"), .init(name: "login", value: "y"),
    ]
    let request = try await fixture.authorize(
      AuthorizationWish(redirectURI: SignInFixture.wish.redirectURI, loginHint: "me@example.org"))
    let expected =
      Self.parameters.map { $0 == "scope=openid%20mail" ? "scope=openid%2cmail" : $0 }
      + ["login=me%40example.org", "access_type=offline", "audience=a%20b%26c"]
    #expect(try parameters(request) == expected)
  }

  @Test func q48NoSecretIsInTheURL() async throws {
    for method in [ClientAuthentication.post, .basic] {
      let fixture = try SignInFixture([], authentication: method)
      let request = try await fixture.authorize()
      #expect(!request.url.contains("s3cr3t") && !request.url.contains("client_secret"))
      #expect(!request.url.contains(String(decoding: request.verifier.bytes, as: UTF8.self)))
    }
  }

  @Test func whatCannotBeAskedIsSaid() async throws {
    var fixture = try SignInFixture([])
    fixture.oauth.endpoints.lacksS256 = true
    #expect(
      await fixture.client.authorize(SignInFixture.wish, account: fixture.account).failure?.message
        == "the provider corp does not know S256, and without it a code can be stolen")
    fixture.oauth.endpoints.authorization = "http://sso.example.org/a"
    #expect(
      await fixture.client.authorize(SignInFixture.wish, account: fixture.account).failure?.message
        == "an endpoint of the provider corp is plain http to sso.example.org")
    fixture.oauth.endpoints.authorization = nil
    #expect(
      await fixture.client.authorize(SignInFixture.wish, account: fixture.account).failure?.message
        == "the provider corp has no authorization endpoint")
  }

  // MARK: Pushed requests (RFC 9126)

  @Test(
    arguments: [
      (.never, true, false, false), (.offered, false, false, false), (.offered, true, false, true),
      (.required, true, false, true), (.never, true, true, true),
    ] as [(ProviderHabits.PushedAuthorization, Bool, Bool, Bool)])
  func aRequestIsPushedWhereTheProviderWantsThat(
    habit: ProviderHabits.PushedAuthorization, hasEndpoint: Bool, isRequired: Bool, isPushed: Bool
  ) async throws {
    var fixture = try SignInFixture([Self.pushed])
    fixture.habits.pushedAuthorization = habit
    fixture.oauth.endpoints.pushedAuthorization = hasEndpoint ? fixture.server.url + "/par" : nil
    fixture.oauth.endpoints.requiresPush = isRequired
    let request = try await fixture.authorize()
    #expect(fixture.server.requests.count == (isPushed ? 1 : 0))
    #expect(request.lifetime == (isPushed ? .seconds(60) : nil))
    guard isPushed else { return }
    #expect(try parameters(request) == ["client_id=key%20rack", "request_uri=urn%3ax%3a1%202"])
    #expect(
      fixture.bodies == [
        "response_type=code&client_id=key%20rack&redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcb%2F"
          + "&scope=openid%20mail&state=\(request.state)&nonce=\(request.nonce ?? "")"
          + "&code_challenge=\(ProofKey.challenge(request.verifier))&code_challenge_method=S256"
      ])
  }

  @Test func aPushedRequestNamesItsClientOnce() async throws {
    var fixture = try SignInFixture([Self.pushed], authentication: .post)
    fixture.oauth.endpoints.pushedAuthorization = fixture.server.url + "/par"
    _ = try await fixture.authorize()
    let body = try #require(fixture.bodies.first)
    #expect(body.hasSuffix("&code_challenge_method=S256&client_secret=s3cr3t%2F"))
    #expect(body.split(separator: "&").count { $0.hasPrefix("client_id=") } == 1)
  }

  @Test func aPushThatIsRequiredNeedsAnEndpoint() async throws {
    var fixture = try SignInFixture([])
    fixture.habits.pushedAuthorization = .required
    #expect(
      await fixture.client.authorize(SignInFixture.wish, account: fixture.account).failure
        == .rejected(
          Rejection(.request, "the provider corp has no pushed authorization request endpoint")))
  }

  @Test(
    arguments: [
      (200, #"{"request_uri":"urn:x","expires_in":"60"}"#, nil, ""),
      (
        400, #"{"error":"invalid_request","error_description":"bad\r\nredirect"}"#, .conflict,
        " invalid_request: bad redirect"
      ),
      (413, "", .request, ""), (429, "", .throttled(nil), ""), (500, "", .notSent, ""),
      (302, "", .request, ""), (201, "<html>", .answer, " and a web page, which is no JSON object"),
      (201, #"{"expires_in":60}"#, .answer, "NO"), (201, #"{"request_uri":7}"#, .answer, "NO"),
    ] as [(Int, String, OutcomeClass?, String)])
  func whatAPushIsAnsweredWithIsUnderstood(
    status: Int, body: String, expected: OutcomeClass?, rest: String
  ) async throws {
    var fixture = try SignInFixture([answer(status, body)])
    fixture.oauth.endpoints.pushedAuthorization = fixture.server.url + "/par"
    let failure = await fixture.client.authorize(SignInFixture.wish, account: fixture.account).failure
    #expect(failure?.class == expected)
    if let failure, rest != "NO" { #expect(failure.message == "\(fixture.name) answered HTTP \(status)\(rest)") }
  }
}

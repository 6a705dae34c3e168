import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// RFC 8414 and OpenID Connect Discovery.
@Suite(.timeLimit(.minutes(1))) struct DiscoveryTests {
  /// Answers by the path of a request; `SELF` in an answer is its own address.
  private static func server(_ answers: [String: (Int, String)], headers: [String] = []) -> ScriptedServer {
    ScriptedServer { peer in
      while let request = peer.readRequest() {
        let (status, body) = answers[String(request.line.split(separator: " ")[1])] ?? (404, "no")
        peer.send(
          answer(
            status, body.replacing("SELF", with: "http://" + request.headers["host", default: ""]), headers: headers))
      }
    }
  }

  private static let openID = "/.well-known/openid-configuration"
  private static let oauth = "/.well-known/oauth-authorization-server"

  private func client() throws -> ProviderClient { ProviderClient(http: try HTTPClient()) }

  private func discover(
    _ issuer: String, _ discovery: Provider.Discovery = .oidc
  ) async throws -> Result<IssuerMetadata, RequestFailure> {
    var oauth = Provider.OAuth(issuer: issuer, clientID: "id")
    oauth.discovery = discovery
    return try await client().discover(Provider(name: "corp", kind: .oauth(oauth)))
  }

  /// What is made of these members of a document.
  private func read(_ members: String) async throws -> Result<IssuerMetadata, RequestFailure> {
    let server = Self.server([Self.openID: (200, #"{"issuer":"SELF",\#(members)}"#)])
    return try await discover(server.url)
  }

  // MARK: Where

  @Test(
    arguments: [
      ("", .oidc, openID), ("/", .oidc, openID), ("/t/a", .oidc, "/t/a" + openID), ("/t/", .oidc, "/t" + openID),
      ("", .rfc8414, oauth), ("/", .rfc8414, oauth), ("/t/a", .rfc8414, oauth + "/t/a"),
      ("/t/", .rfc8414, oauth + "/t"), ("/a%20b", .rfc8414, oauth + "/a%20b"),
    ] as [(String, Provider.Discovery, String)])
  func anIssuerIsAskedWhereItsDiscoverySays(path: String, discovery: Provider.Discovery, expected: String) async throws
  {
    let server = Self.server([expected: (200, #"{"issuer":"SELF\#(path)","token_endpoint":"SELF/token"}"#)])
    let metadata = try await discover(server.url + path, discovery).get()
    #expect(metadata.issuer == server.url + path)
    #expect(metadata.discovery == discovery)
    #expect(metadata.endpoints == Endpoints(token: server.url + "/token"))
    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect(request.line == "GET \(expected) HTTP/1.1")
    #expect(request.headers["accept"] == "application/json")
    #expect(request.headers["content-type"] == nil)
  }

  @Test func whereNoIssuerIsToBeAskedNoneIs() async throws {
    for failure in [
      try await discover("https://sso.example.org", .none).failure,
      try await client().discover(Provider(name: "corp", kind: .oauth(.init(clientID: "id")))).failure,
    ] {
      #expect(failure == .rejected(Rejection(.request, "the provider corp has no issuer to be asked")))
    }
    #expect(
      try await discover("http://sso.example.org").failure?.message == "the issuer is plain http to sso.example.org")
    #expect(try await discover("http://127.0.0.1:1/?a=b").failure?.message == "the issuer has a query")
  }

  // MARK: What

  @Test func allThatIsUsedIsRead() async throws {
    let metadata = try await read(
      #""authorization_endpoint":"https://a.example/a?x=y","token_endpoint":"https://a.example/t","#
        + #""revocation_endpoint":"https://a.example/r","device_authorization_endpoint":"https://a.example/d","#
        + #""pushed_authorization_request_endpoint":"https://a.example/p","userinfo_endpoint":"https://a.example/u","#
        + #""jwks_uri":"https://a.example/k","registration_endpoint":"https://a.example/c","#
        + #""authorization_response_iss_parameter_supported":true,"require_pushed_authorization_requests":true,"#
        + #""scopes_supported":["openid"],"grant_types_supported":["refresh_token"],"unknown":{"a":[1,"b"]},"#
        + #""token_endpoint_auth_methods_supported":["none"],"code_challenge_methods_supported":["plain","S256"]"#
    ).get()
    var endpoints = Endpoints(
      authorization: "https://a.example/a?x=y", token: "https://a.example/t", revocation: "https://a.example/r")
    endpoints.deviceAuthorization = "https://a.example/d"
    endpoints.pushedAuthorization = "https://a.example/p"
    endpoints.userinfo = "https://a.example/u"
    endpoints.keys = "https://a.example/k"
    endpoints.registration = "https://a.example/c"
    endpoints.promisesIssuer = true
    endpoints.requiresPush = true
    #expect(metadata.endpoints == endpoints)
    #expect(metadata.scopes == ["openid"] && metadata.grantTypes == ["refresh_token"])
    #expect(metadata.authenticationMethods == ["none"] && metadata.challengeMethods == ["plain", "S256"])
  }

  @Test(
    arguments: [
      (#""x":1"#, nil, false), (#""code_challenge_methods_supported":["S256"]"#, ["S256"], false),
      (#""code_challenge_methods_supported":["plain"]"#, ["plain"], true),
      (#""code_challenge_methods_supported":[]"#, [], true), (#""code_challenge_methods_supported":null"#, nil, false),
    ] as [(String, [String]?, Bool)])
  func anIssuerLacksS256OnlyWhereItNamesOtherMethods(members: String, methods: [String]?, lacks: Bool) async throws {
    let metadata = try await read(members).get()
    #expect(metadata.challengeMethods == methods)
    #expect(metadata.endpoints.lacksS256 == lacks)
  }

  @Test(arguments: [
    (
      "authorization_endpoint", #""http://sso.example.org/a""#,
      "with a wrong authorization_endpoint: plain http to sso.example.org"
    ),
    ("token_endpoint", #""ftp://a.example""#, "with a wrong token_endpoint: not an https URL"),
    ("jwks_uri", #""https://u:p@a.example""#, "with a wrong jwks_uri: a name or a password in the URL"),
    ("userinfo_endpoint", "7", "with a wrong userinfo_endpoint: no text"),
    ("revocation_endpoint", #"["https://a.example"]"#, "with a wrong revocation_endpoint: no text"),
    ("scopes_supported", #""openid""#, "with a wrong scopes_supported: no list of texts"),
    ("code_challenge_methods_supported", "[1]", "with a wrong code_challenge_methods_supported: no list of texts"),
    (
      "require_pushed_authorization_requests", #""true""#,
      "with a wrong require_pushed_authorization_requests: neither true nor false"
    ),
  ])
  func aMemberThatCannotBeUsedIsNamed(member: String, value: String, message: String) async throws {
    let failure = try #require(try await read(#""\#(member)":\#(value)"#).failure)
    #expect(failure.class == .answer)
    #expect(failure.message.hasSuffix(" answered \(message)"), "\(failure.message)")
  }

  @Test(arguments: ["SELF/", "SELF/x", "https://sso.example.org", "", "SELF/{tenantid}/v2.0"])
  func anIssuerThatCallsItselfOtherwiseIsRefused(answered: String) async throws {
    let server = Self.server([Self.openID: (200, #"{"issuer":"\#(answered)","token_endpoint":"SELF/t"}"#)])
    let failure = try #require(try await discover(server.url).failure)
    let name = "127.0.0.1:\(server.port)"
    #expect(failure.class == .answer)
    #expect(
      failure.message
        == (answered.isEmpty
          ? "\(name) answered without issuer"
          : "\(name) answered for the issuer \(answered.replacing("SELF", with: server.url)), not for \(server.url)"))
  }

  /// The same to a person, and other bytes.
  @Test func issuersAreComparedAsBytes() async throws {
    let server = ScriptedServer { peer in
      let host = peer.readRequest()?.headers["host"] ?? ""
      peer.send(answer(200, #"{"issuer":"http://\#(host)/cafe\u0301"}"#))
    }
    let issuer = server.url + "/caf\u{E9}"
    let failure = try #require(try await discover(issuer).failure)
    #expect(failure.class == .answer)
    #expect(failure.message.hasSuffix("for the issuer \(issuer), not for \(issuer)"))
  }

  @Test(
    arguments: [
      (302, "", .request), (404, "no", .request), (500, "", .notSent), (429, "", .throttled(nil)),
      (200, "<html>", .answer), (200, "[]", .answer), (200, #"{"error":"x"}"#, .request),
    ] as [(Int, String, OutcomeClass)])
  func noDocumentIsUnderstood(status: Int, body: String, expected: OutcomeClass) async throws {
    let server = Self.server([Self.openID: (status, body)], headers: ["Location: https://portal.example/x"])
    let failure = try #require(try await discover(server.url).failure)
    #expect(failure.class == expected)
    #expect(failure.message.hasPrefix("127.0.0.1:\(server.port) answered HTTP \(status)"))
    if status == 302 { #expect(failure.message.hasSuffix("a redirect to portal.example:443")) }
    #expect(server.requests.count == 1)
  }

  // MARK: Of an issuer of which nothing is configured

  @Test(arguments: [(404, "no"), (404, #"{"error":"not_found"}"#), (200, "<html>"), (302, ""), (400, "bad")])
  func withoutTheOneDocumentTheOtherIsAskedFor(status: Int, body: String) async throws {
    let server = Self.server([
      "/t" + Self.openID: (status, body), Self.oauth + "/t": (200, #"{"issuer":"SELF/t","token_endpoint":"SELF/2"}"#),
    ])
    let metadata = try await client().discover(issuer: server.url + "/t", caFile: nil).get()
    #expect(metadata.discovery == .rfc8414)
    #expect(metadata.endpoints == Endpoints(token: server.url + "/2"))
  }

  @Test(
    arguments: [
      (200, #"{"issuer":"SELF/other"}"#, .answer), (200, #"{"issuer":"SELF","token_endpoint":1}"#, .answer),
      (503, "", .notSent), (429, "", .throttled(nil)),
    ] as [(Int, String, OutcomeClass)])
  func aDocumentThatIsThereIsTheOnlyOne(status: Int, body: String, expected: OutcomeClass) async throws {
    let server = Self.server([
      Self.openID: (status, body), Self.oauth: (200, #"{"issuer":"SELF","token_endpoint":"SELF/2"}"#),
    ])
    #expect(try await client().discover(issuer: server.url, caFile: nil).failure?.class == expected)
    #expect(server.requests.count == 1)
  }

  @Test func theTwoDocumentsAreNeverMixed() async throws {
    let server = Self.server([
      Self.openID: (200, #"{"issuer":"SELF"}"#), Self.oauth: (200, #"{"issuer":"SELF","token_endpoint":"SELF/2"}"#),
    ])
    #expect(try await client().discover(issuer: server.url, caFile: nil).get().endpoints == Endpoints())
  }

  @Test func theDocumentThatSaysWhereToRegisterIsTaken() async throws {
    let plain = (200, #"{"issuer":"SELF","token_endpoint":"SELF/1"}"#)
    let registering = (200, #"{"issuer":"SELF","registration_endpoint":"SELF/2"}"#)
    for (openID, oauth) in [(plain, registering), (registering, plain)] {
      let server = Self.server([Self.openID: openID, Self.oauth: oauth])
      let metadata = try await client().discover(issuer: server.url, caFile: nil).get()
      var expected = Endpoints()
      expected.registration = server.url + "/2"
      #expect(metadata.endpoints == expected)
      #expect(metadata.discovery == (openID == registering ? .oidc : .rfc8414))
      #expect(server.requests.count == (openID == registering ? 1 : 2))
    }
  }

  @Test func anIssuerWithoutAnyDocumentSaysSo() async throws {
    let server = Self.server([:])
    let name = "127.0.0.1:\(server.port)"
    #expect(
      try await client().discover(issuer: server.url, caFile: nil).failure
        == .rejected(
          Rejection(
            .answer,
            "no metadata: \(name) answered HTTP 404 to openid-configuration, \(name) answered HTTP 404 to"
              + " oauth-authorization-server", hint: "check the issuer, or give the endpoints one by one")))
  }
}

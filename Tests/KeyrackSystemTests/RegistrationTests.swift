import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// RFC 7591.
@Suite(.timeLimit(.minutes(1))) struct RegistrationTests {
  private static let wish = ClientRegistration(
    clientName: "Keyrack", redirectURIs: ["http://127.0.0.1/cb", "http://[::1]/cb"])

  private func register(
    _ answers: String..., methods: [String] = [], device: Bool = false
  ) async throws -> (result: Result<RegisteredClient, RequestFailure>, server: ScriptedServer) {
    let server = ScriptedServer(answers: answers)
    var endpoints = Endpoints()
    endpoints.registration = server.url + "/register"
    endpoints.deviceAuthorization = device ? server.url + "/device" : nil
    var issuer = IssuerMetadata(issuer: server.url, discovery: .oidc, endpoints: endpoints)
    issuer.authenticationMethods = methods
    return (try await ProviderClient(http: HTTPClient()).register(Self.wish, at: issuer, caFile: nil), server)
  }

  @Test(
    arguments: [
      ([], false, "none"), (["client_secret_basic", "none"], false, "none"), (["none"], true, "none"),
      (["private_key_jwt", "client_secret_post"], false, "client_secret_post"),
      (["client_secret_post", "client_secret_basic"], false, "client_secret_basic"),
    ] as [([String], Bool, String)])
  func aNativeClientAsksForTheLeastThatIsOffered(methods: [String], device: Bool, method: String) async throws {
    let body = #"{"client_id":"c","client_secret":"s","client_secret_expires_at":0}"#
    let (result, server) = try await register(answer(201, body), methods: methods, device: device)
    #expect(try result.get().clientID == "c")
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /register HTTP/1.1")
    #expect(request.headers["content-type"] == "application/json")
    let grant = device ? #","urn:ietf:params:oauth:grant-type:device_code""# : ""
    #expect(
      request.body
        == #"{"client_name":"Keyrack","redirect_uris":["http://127.0.0.1/cb","http://[::1]/cb"],"#
        + #""grant_types":["authorization_code","refresh_token"\#(grant)],"response_types":["code"],"#
        + #""token_endpoint_auth_method":"\#(method)","application_type":"native"}"#)
  }

  @Test(
    arguments: [
      (#""token_endpoint_auth_method":"none","client_secret":"s""#, nil, .none, nil),
      (#""x":1"#, nil, .none, nil),
      (#""token_endpoint_auth_method":"client_secret_basic","client_secret":"s""#, "s", .basic, nil),
      (
        #""token_endpoint_auth_method":"client_secret_post","client_secret":"s","client_secret_expires_at":0"#, "s",
        .post, nil
      ),
      (
        #""token_endpoint_auth_method":"client_secret_post","client_secret":"s","client_secret_expires_at":1900000000"#,
        "s", .post, 1_900_000_000
      ),
      (
        #""redirect_uris":["http://[::1]/cb","http://127.0.0.1/cb","x"],"grant_types":["authorization_code"]"#, nil,
        .none, nil
      ),
    ] as [(String, String?, ClientAuthentication, Int?)])
  func theClientIsWhatTheIssuerMade(
    members: String, secret: String?, authentication: ClientAuthentication, expiresAt: Int?
  ) async throws {
    let expected = RegisteredClient(
      clientID: "c", secret: secret.map { Secret($0) }, authentication: authentication, secretExpiresAt: expiresAt)
    for status in [200, 201] {
      #expect(try await register(answer(status, #"{"client_id":"c",\#(members)}"#)).result == .success(expected))
    }
  }

  @Test(arguments: [
    (#""client_id":"""#, "without client_id"), (#""client_id":7"#, "with a wrong client_id: no text"),
    (#""client_id":"ü""#, "with a wrong client_id: not printable ASCII"),
    (
      #""client_id":"c","redirect_uris":["http://127.0.0.1/cb"]"#,
      "with a client whose redirect_uris lack http://[::1]/cb"
    ),
    (#""client_id":"c","grant_types":["implicit"]"#, "with a client whose grant_types lack authorization_code"),
    (#""client_id":"c","response_types":["token"]"#, "with a client whose response_types lack code"),
    (
      #""client_id":"c","token_endpoint_auth_method":"tls_client_auth""#,
      "with a client whose token_endpoint_auth_method, tls_client_auth, is not known here"
    ),
    (
      #""client_id":"c","token_endpoint_auth_method":"client_secret_basic","client_secret":"""#,
      "without the client_secret that its method needs"
    ),
  ])
  func aClientThatIsOfNoUseIsRefused(members: String, message: String) async throws {
    let failure = try #require(try await register(answer(201, "{\(members)}")).result.failure)
    #expect(failure.class == .answer)
    #expect(failure.message.hasSuffix(" answered \(message)"), "\(failure.message)")
  }

  @Test func anIssuerThatRefusesTheDeviceGrantIsAskedWithoutIt() async throws {
    let refusal = answer(400, #"{"error":"invalid_client_metadata"}"#)
    let (result, server) = try await register(refusal, answer(201, #"{"client_id":"c"}"#), device: true)
    #expect(try result.get().clientID == "c")
    #expect(server.requests.map { $0.body.contains("device_code") } == [true, false])
    let (without, other) = try await register(refusal)
    #expect(without.failure?.class == .request)
    #expect(other.requests.count == 1)
  }

  @Test(
    arguments: [
      (400, #"{"error":"invalid_redirect_uri"}"#, .request), (401, "", .revoked), (503, "", .notSent),
      (201, "<html>", .answer), (429, "", .throttled(nil)),
    ] as [(Int, String, OutcomeClass)])
  func aRefusalIsUnderstood(status: Int, body: String, expected: OutcomeClass) async throws {
    #expect(try await register(answer(status, body)).result.failure?.class == expected)
  }

  @Test func whereAKeyIsNeededNobodyIsAsked() async throws {
    let (result, server) = try await register(answer(201), methods: ["private_key_jwt"])
    #expect(result.failure?.class == .request)
    #expect(server.connections == 0)
  }
}

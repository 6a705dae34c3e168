import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// RFC 8628.
@Suite(.timeLimit(.minutes(1))) struct DeviceFlowTests {
  private static let uri = "https://sso.example.org/device"

  private func begin(_ members: String) async throws -> Result<DeviceAuthorization, RequestFailure> {
    // Of a member that is there twice, the first counts.
    let fixture = try SignInFixture([answer(200, #"{\#(members),"device_code":"dc","user_code":"AB-CD"}"#)])
    return await fixture.client.beginDevice(fixture.account)
  }

  private func poll(_ status: Int, _ body: String) async throws -> DeviceOutcome {
    let fixture = try SignInFixture([answer(status, body)])
    return await fixture.client.poll(Self.device, account: fixture.account)
  }

  private static let device = DeviceAuthorization(
    deviceCode: Secret("de/vice-code-code"), userCode: "U", verificationURI: uri, lifetime: .seconds(900))

  // MARK: The beginning

  @Test func q71ADeviceIsAnnouncedByAForm() async throws {
    var fixture = try SignInFixture([
      answer(200, #"{"device_code":"dc","user_code":"AB-CD","verification_uri":"\#(Self.uri)","expires_in":600}"#)
    ])
    let device = try await fixture.client.beginDevice(fixture.account).get()
    #expect(
      device
        == DeviceAuthorization(
          deviceCode: Secret("dc"), userCode: "AB-CD", verificationURI: Self.uri, lifetime: .seconds(600)))
    fixture.scopes = []
    _ = await fixture.client.beginDevice(fixture.account)
    #expect(fixture.server.requests.allSatisfy { $0.line == "POST /device HTTP/1.1" })
    #expect(fixture.bodies == ["client_id=key%20rack&scope=openid%20mail", "client_id=key%20rack"])
  }

  @Test(
    arguments: [
      ("Q64", #""verification_url":"\#(uri)""#, nil, .seconds(900), .seconds(5)),
      ("Q65", #""verification_uri":"\#(uri)","interval":"7","expires_in":"60""#, nil, .seconds(60), .seconds(7)),
      ("Q65", #""verification_uri":"\#(uri)","interval":0"#, nil, .seconds(900), .seconds(1)),
      ("Q65", #""verification_uri":"\#(uri)","interval":-3"#, nil, .seconds(900), .seconds(1)),
      ("Q65", #""verification_uri":"\#(uri)","interval":null"#, nil, .seconds(900), .seconds(5)),
      ("Q65", #""verification_uri":"\#(uri)","interval":2.5"#, nil, .seconds(900), .seconds(3)),
      ("Q65", #""verification_uri":"\#(uri)","interval":1000000000"#, nil, .seconds(900), .seconds(60)),
      ("Q65", #""verification_uri":"\#(uri)","expires_in":1e300"#, nil, .seconds(3600), .seconds(5)),
      ("Q65", #""verification_uri":"\#(uri)","expires_in":0"#, nil, .seconds(1), .seconds(5)),
      (
        "Q70", #""verification_uri":"\#(uri)","verification_uri_complete":"\#(uri)?c=AB-CD","message":"To sign in""#,
        uri + "?c=AB-CD", .seconds(900), .seconds(5)
      ),
    ] as [(String, String, String?, Duration, Duration)])
  func aDeviceIsUnderstoodInEveryShape(
    row: String, members: String, complete: String?, lifetime: Duration, interval: Duration
  ) async throws {
    #expect(
      try await begin(members).get()
        == DeviceAuthorization(
          deviceCode: Secret("dc"), userCode: "AB-CD", verificationURI: Self.uri, verificationURIComplete: complete,
          lifetime: lifetime, interval: interval))
  }

  @Test(arguments: [
    (#""x":1"#, "without verification_uri"),
    (#""verification_uri":"javascript:alert(1)""#, "with a wrong verification_uri: no web address"),
    (#""verification_uri":"https://a.example/\n""#, "with a wrong verification_uri: no web address"),
    (#""verification_uri":"https://good.example@bad.example/""#, "with a wrong verification_uri: no web address"),
    (#""verification_uri":7"#, "with a wrong verification_uri: no text"),
    (
      #""verification_uri":"http://a.example","verification_uri_complete":"file:///etc""#,
      "with a wrong verification_uri_complete: no web address"
    ),
    (#""verification_uri":"http://a.example","interval":"soon""#, "with a wrong interval: no number"),
    (#""verification_uri":"http://a.example","user_code":"A\u001b[31m""#, "with a wrong user_code: not one line"),
  ])
  func aDeviceThatMakesNoSenseIsNamed(members: String, message: String) async throws {
    let failure = try #require(try await begin(members).failure)
    #expect(failure.class == .answer)
    #expect(failure.message.hasSuffix("answered \(message)"), "\(failure.message)")
  }

  @Test(
    arguments: [
      (400, #"{"error":"invalid_scope"}"#, .target), (401, #"{"error":"invalid_client"}"#, .client),
      (200, #"{"error":"device_flow_disabled"}"#, .request), (404, "<html>", .request), (503, "", .notSent),
      (429, "", .throttled(nil)), (200, "<html>", .answer), (200, "device_code=dc&user_code=U", .answer),
    ] as [(Int, String, OutcomeClass)])
  func q64ARefusalOfADeviceIsUnderstood(status: Int, body: String, expected: OutcomeClass) async throws {
    let fixture = try SignInFixture([answer(status, body)])
    #expect(await fixture.client.beginDevice(fixture.account).failure?.class == expected)
  }

  @Test func withoutAnEndpointThereIsNoDeviceFlow() async throws {
    var fixture = try SignInFixture([])
    fixture.oauth.endpoints.deviceAuthorization = nil
    #expect(
      await fixture.client.beginDevice(fixture.account).failure
        == .rejected(Rejection(.request, "the provider corp has no device authorization endpoint")))
  }

  // MARK: Polls

  @Test func aPollIsTheFormOfTheStandard() async throws {
    let fixture = try SignInFixture([answer(200, #"{"access_token":"at","id_token":"e.y.j"}"#)])
    guard case .ended(.success(let grant)) = await fixture.client.poll(Self.device, account: fixture.account) else {
      Issue.record("no grant")
      return
    }
    #expect(grant.idToken == Secret("e.y.j"))
    #expect(fixture.server.requests.map(\.line) == ["POST /token HTTP/1.1"])
    #expect(
      fixture.bodies == [
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=de%2Fvice-code-code"
          + "&client_id=key%20rack"
      ])
  }

  @Test(
    arguments: [
      ("RFC", 400, #"{"error":"authorization_pending"}"#, .pending),
      ("Q26", 200, #"{"error":"authorization_pending"}"#, .pending),
      ("Q64", 428, #"{"error":"authorization_pending"}"#, .pending),
      ("Q28", 503, #"{"error":"authorization_pending"}"#, .pending),
      ("Q66", 400, #"{"error":"slow_down"}"#, .slowDown(nil)),
      ("Q66", 200, #"{"error":"slow_down","interval":10}"#, .slowDown(.seconds(10))),
      ("Q66", 200, #"{"error":"slow_down","interval":"15"}"#, .slowDown(.seconds(15))),
      ("Q66", 200, #"{"error":"slow_down","interval":1e9}"#, .slowDown(.seconds(60))),
      ("Q64", 403, #"{"error":"slow_down"}"#, .slowDown(nil)),
      ("Q66", 429, #"{"error":"slow_down"}"#, .slowDown(nil)),
      ("Q68", 400, #"{"error":"expired_token"}"#, .expired), ("Q68", 200, #"{"error":"expired_token"}"#, .expired),
      ("Q68", 400, #"{"error":"code_expired"}"#, .expired),
    ] as [(String, Int, String, DeviceOutcome)])
  func aPollIsUnderstood(row: String, status: Int, body: String, expected: DeviceOutcome) async throws {
    #expect(try await poll(status, body) == expected)
  }

  @Test(arguments: ["access_denied", "authorization_declined"])
  func q68ADenialIsTerminal(code: String) async throws {
    let fixture = try SignInFixture([answer(400, #"{"error":"\#(code)","error_description":"no"}"#)])
    #expect(
      await fixture.client.poll(Self.device, account: fixture.account)
        == .denied("\(fixture.name) answered HTTP 400 \(code): no"))
  }

  @Test(
    arguments: [
      ("Q68", 400, #"{"error":"bad_verification_code"}"#, .request),
      ("Q68", 200, #"{"error":"incorrect_device_code"}"#, .request),
      ("Q27", 401, #"{"error":"invalid_client"}"#, .client), ("RFC", 400, #"{"error":"invalid_grant"}"#, .revoked),
      ("Q28", 500, #"{"error":"access_denied"}"#, .unknown), ("Q28", 502, #"{"error":"expired_token"}"#, .unknown),
      ("Q69", 504, "<html>", .unknown), ("Q29", 429, "", .throttled(nil)),
    ] as [(String, Int, String, OutcomeClass)])
  func whatElseAPollEndsWithIsUnderstood(row: String, status: Int, body: String, expected: OutcomeClass) async throws {
    guard case .ended(let outcome) = try await poll(status, body) else {
      Issue.record("not ended")
      return
    }
    #expect(outcome.class == expected)
  }

  @Test func q69APollThatNobodyAnswersIsNotSentOrUnknown() async throws {
    var fixture = try SignInFixture([])
    let server = ScriptedServer { peer in _ = peer.readRequest() }
    for (url, expected) in [("http://127.0.0.1:1/token", OutcomeClass.notSent), (server.url, .unknown)] {
      fixture.oauth.endpoints.token = url
      guard case .ended(let outcome) = await fixture.client.poll(Self.device, account: fixture.account) else {
        Issue.record("not ended")
        return
      }
      #expect(outcome.class == expected)
    }
    #expect(server.requests.count == 1)
  }

  @Test func theDeviceCodeIsKeptOutOfMessages() async throws {
    let fixture = try SignInFixture([
      answer(400, #"{"error":"access_denied","error_description":"de/vice-code-code"}"#)
    ])
    let outcome = await fixture.client.poll(Self.device, account: fixture.account)
    #expect(outcome == .denied("\(fixture.name) answered HTTP 400 access_denied: <redacted>"))
  }
}

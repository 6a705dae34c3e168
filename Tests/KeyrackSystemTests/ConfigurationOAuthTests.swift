import KeyrackCore
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationOAuthTests {
  private func provider(_ keys: String) async throws -> Provider {
    let directory = try ConfigurationDirectory()
    try directory.write("[provider p]\nclient_id=c\n" + keys)
    return try #require(try await directory.read().providers["p"])
  }

  private func oauth(_ keys: String) async throws -> Provider.OAuth {
    guard case .oauth(let oauth) = try await provider(keys).kind else { throw TestFailure() }
    return oauth
  }

  private struct TestFailure: Error {}

  @Test func everyEndpointIsRead() async throws {
    let oauth = try await oauth(
      """
      authorization_endpoint=https://h/authorize
      token_endpoint=https://h/token
      revocation_endpoint=https://h/revoke
      device_authorization_endpoint=https://h/device
      pushed_authorization_request_endpoint=https://h/par
      userinfo_endpoint=https://h/userinfo
      jwks_uri=https://h/keys
      registration_endpoint=https://h/register
      """)
    var expected = Endpoints(
      authorization: "https://h/authorize", token: "https://h/token", revocation: "https://h/revoke")
    expected.deviceAuthorization = "https://h/device"
    expected.pushedAuthorization = "https://h/par"
    expected.userinfo = "https://h/userinfo"
    expected.keys = "https://h/keys"
    expected.registration = "https://h/register"
    #expect(oauth.endpoints == expected)
  }

  @Test(arguments: [
    ("issuer=https://h", Provider.Discovery.oidc), ("token_endpoint=https://h/t", .none),
    ("issuer=https://h\ntoken_endpoint=https://h/t", .none),
    ("issuer=https://h\ndiscovery=rfc8414", .rfc8414), ("issuer=https://h\ndiscovery=oidc", .oidc),
    ("issuer=https://h\ntoken_endpoint=https://h/t\ndiscovery=oidc", .oidc),
    ("token_endpoint=https://h/t\ndiscovery=none", .none),
  ])
  func theIssuerIsAskedWhereTheTokenEndpointIsMissing(keys: String, expected: Provider.Discovery) async throws {
    let provider = try await provider(keys)
    #expect(try await oauth(keys).discovery == expected)
    #expect(provider.host == "h:443")
  }

  @Test(arguments: [
    ("", ClientAuthentication.none), ("token_endpoint_auth_method=none", .none),
    ("token_endpoint_auth_method=client_secret_post", .post),
    ("token_endpoint_auth_method=client_secret_basic", .basic), ("client_secret_command=pass show c", .basic),
    ("client_secret_command=pass show c\ntoken_endpoint_auth_method=client_secret_post", .post),
    ("token_endpoint_auth_method=private_key_jwt", .privateKey(keyID: nil)),
    ("token_endpoint_auth_method=private_key_jwt\nclient_key_id=k", .privateKey(keyID: "k")),
    ("token_endpoint_auth_method=apple\nclient_key_id=k\nclient_team_id=t", .apple(teamID: "t", keyID: "k")),
  ])
  func theClientProvesWhoItIsByOneMethod(keys: String, expected: ClientAuthentication) async throws {
    #expect(try await oauth("token_endpoint=https://h/t\n" + keys).clientAuthentication == expected)
  }

  @Test func theCommandThatPrintsTheSecretIsReadAsItIs() async throws {
    let keys = "token_endpoint=https://h/t\nclient_secret_command=pass show \"a b\" | head -1"
    #expect(try await oauth(keys).secretCommand == "pass show \"a b\" | head -1")
  }

  @Test(arguments: [
    "http://127.0.0.1:{port}", "http://127.0.0.1:{port}/", "http://localhost:{port}/cb", "http://[::1]:{port}/a/b",
    "http://127.0.0.1:8400/cb", "https://app.example.org/cb", "https://127.0.0.1/", "http://localhost:80",
  ])
  func aRedirectIsKeptByteForByte(uri: String) async throws {
    #expect(try await oauth("token_endpoint=https://h/t\nredirect_uri=\(uri)").redirectURI == uri)
  }

  @Test func thePortsOfARedirectAreRead() async throws {
    #expect(try await oauth("token_endpoint=https://h/t\nredirect_ports=8400; 65535;").redirectPorts == [8400, 65_535])
  }

  @Test func theHabitsOfASignInAreRead() async throws {
    let habits = try await provider(
      """
      token_endpoint=https://h/t
      authorization_params=access_type=offline;prompt=consent
      login_hint_param=login
      par=required
      revoke_on_relogin=false
      device_flow=false
      token_endpoint_auth_method=client_secret_basic
      revocation=github
      """
    ).habits
    var expected = ProviderHabits()
    expected.authorizationParameters = [
      .init(name: "access_type", value: "offline"), .init(name: "prompt", value: "consent"),
    ]
    expected.loginHintParameter = "login"
    expected.pushedAuthorization = .required
    expected.revokesReplaced = false
    expected.allowsDeviceGrant = false
    expected.revocation = .github
    #expect(habits == expected)
  }

  @Test func anIssuerThatIsAskedMayNameTheRevocationEndpoint() async throws {
    #expect(try await provider("issuer=https://h\nrevocation=endpoint").habits.revocation == .endpoint)
  }

  @Test func theCommandLineHasAGroup() async throws {
    let directory = try ConfigurationDirectory()
    try directory.write("[keyrack]\nbrowser_command=firefox --new-window\n")
    #expect(try await directory.read().providers.isEmpty)
  }

  @Test func theProgramsAuthoritiesAreThoseOfEachProviderWithoutItsOwn() async throws {
    let directory = try ConfigurationDirectory()
    let (common, own) = (try directory.write("PEM", to: "common.pem"), try directory.write("PEM", to: "own.pem"))
    let oauth = "client_id=c\ntoken_endpoint=https://h/t\n"
    try directory.write(
      """
      [provider a]
      \(oauth)
      [provider b]
      \(oauth)ca_file=\(own)
      [account c]
      provider=google
      client_id=c
      [keyrack]
      ca_file=\(common)
      """)
    let configuration = try await directory.read()
    #expect(configuration.caFile == CAFile(common, isAddition: true))
    #expect(configuration.providers["a"]?.caFile == CAFile(common, isAddition: true))
    #expect(configuration.providers["b"]?.caFile == CAFile(own))
    #expect(configuration.accounts["c"]?.provider.caFile == CAFile(common, isAddition: true))
  }
}

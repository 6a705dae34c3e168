import KeyrackProtocol
import TestSupport
import Testing

/// Both servers know the device grant, and register no client with it beside the code grant. Neither offers to register one
/// without a secret.
extension RealServerTests {
  /// Without openid: django-oauth-toolkit gives a registered client no algorithm, and fails where it is to sign.
  @Test func aClientThatWasRegisteredSignsIn() async throws {
    let fixture = try await RealServerFixture(.django)
    let provider = fixture.providers[0]
    let client = try await register("own", at: provider.url("/o"), fixture)
    try fixture.daemon.write(
      configuration: "[provider own]\n" + client.settings.map { "\($0.key)=\($0.value)\n" }.joined()
        + "[account own]\nprovider=own\nscopes=mail\n")
    #expect(try await fixture.daemon.call(ReloadOperation()).added == ["own"])
    let login = LoginOperation(account: "own", method: .browser)
    let pending = try await PendingSignIn(login, fixture.daemon, at: provider)
    #expect(try await pending.browse().status == 0)
    #expect(try await pending.outcome().remembered)
    var token: Secret?
    for _ in 0..<2 {
      token = try await fixture.daemon.call(TokenOperation(account: "own", rejected: token)).token
      #expect(try await provider.accepts(accessToken: text(try #require(token))))
    }
    let logout = try await fixture.daemon.call(LogoutOperation(account: "own", wait: true))
    #expect(logout.remote == .done)
  }

  /// A sign-in fails there: glewlwyd compares the ports of redirects, and a client is registered without one.
  @Test func aClientIsRegisteredAtGlewlwyd() async throws {
    let fixture = try await RealServerFixture(.glewlwyd)
    _ = try await register("own", at: fixture.providers[0].url("/api/oidc"), fixture)
  }

  private func register(
    _ name: String, at issuer: String, _ fixture: RealServerFixture
  ) async throws -> RegisterOperation.Reply {
    let found = try await fixture.daemon.call(DiscoverOperation(issuer: issuer))
    #expect(found.registers)
    let client = try await fixture.daemon.call(RegisterOperation(issuer: issuer, provider: name))
    let settings = Dictionary(uniqueKeysWithValues: client.settings.map { ($0.key, $0.value) })
    #expect(settings["issuer"] == issuer)
    #expect(settings["discovery"] == found.discovery)
    #expect(settings["client_id"]?.isEmpty == false)
    #expect(settings["token_endpoint_auth_method"] == "client_secret_basic")
    #expect(try await fixture.session.items().count == 1)
    return client
  }
}

import Foundation
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

  /// glewlwyd compares the ports of redirects: the one that is given is registered with it, and is the one that is listened
  /// on.
  @Test func aClientThatWasRegisteredWithAPortSignsInAtGlewlwyd() async throws {
    let fixture = try await RealServerFixture(.glewlwyd)
    let provider = fixture.providers[0]
    let uri = "http://127.0.0.1:\(provider.redirectPort)/callback/own"
    let added = try await Child.run(
      [
        Products.path(of: "keyrack"), "account", "add", "own", "--issuer", provider.url("/api/oidc"), "--redirect-uri",
        uri, "--scopes", "openid mail",
      ],
      environment: fixture.daemon.environment.merging(["BROWSER": provider.browser().joined(separator: " ")]) { $1 },
      within: .seconds(30))
    #expect(added.status == 0, "\(added.error)")
    #expect(added.error.contains("signed in to own as "), "\(added.error)")
    var token: Secret?
    for _ in 0..<2 {
      token = try await fixture.daemon.call(TokenOperation(account: "own", rejected: token)).token
      #expect(try await provider.accepts(accessToken: text(try #require(token))))
    }
    let made = try await fixture.daemon.call(ProvidersOperation()).providers.first { $0.name == "own" }
    #expect(made?.settings.contains(Setting(key: "redirect_uri", value: uri)) == true)
  }

  @Test func aRedirectThatNobodyCouldListenOnIsNotRegistered() async throws {
    let fixture = try await RealServerFixture(.glewlwyd)
    let issuer = fixture.providers[0].url("/api/oidc")
    let request = RegisterOperation(issuer: issuer, provider: "own", redirectURI: "http://sso.example.org:8400/")
    let error = try await fixture.daemon.failure(request)
    #expect(error.code == .badRequest)
    #expect(error.message == "redirect_uri is plain http to another host than 127.0.0.1, [::1] or localhost")
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

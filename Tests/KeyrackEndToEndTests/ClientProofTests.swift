import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Providers that describe themselves, and clients that have to prove who they are.
@Suite(.timeLimit(.minutes(2))) struct ClientProofTests {
  private static let secret = "s3cr et:+&%é"

  @Test func anIssuerAndAClientAreEnough() async throws {
    let fixture = try await KeyrackFixture(configuration: KeyrackFixture.discovered())
    #expect(try await fixture.signInWithBrowser().subject == "alice")
    let metadata = "/.well-known/openid-configuration"
    #expect(try await fixture.paths() == [metadata, "/par", "/authorize", "/token", "/userinfo"])
    let token = try await fixture.token()
    // From now on the issuer names others.
    let evil = #"{"issuer":"\#(fixture.provider.url(""))","token_endpoint":"\#(fixture.provider.url("/evil"))"}"#
    try await fixture.provider.script(metadata, count: 100, status: 200, body: evil)
    try await fixture.daemon.restart()
    let next = try await fixture.token(insteadOf: token)
    #expect(try await fixture.provider.accepts(accessToken: next))
    let asked = try await fixture.provider.log()
    #expect(asked.count { $0.path == metadata } == 1)
    #expect(asked.last { $0.path == "/token" }?.grantType == "refresh_token")
    #expect(!asked.contains { $0.path == "/evil" })
  }

  @Test func aDiscoveredProviderIsLoggedOutOfAfterARestart() async throws {
    let fixture = try await KeyrackFixture(configuration: KeyrackFixture.discovered())
    try await fixture.signInWithBrowser()
    try await fixture.daemon.restart()
    let reply = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    #expect(reply.remote == .done)
    #expect(try await fixture.provider.tokens().isEmpty)
  }

  @Test func anIssuerThatCallsItselfOtherwiseIsNotBelieved() async throws {
    let fixture = try await KeyrackFixture(configuration: KeyrackFixture.discovered())
    let token = fixture.provider.url("/token")
    let metadata = "/.well-known/openid-configuration"
    try await fixture.provider.script(
      metadata, status: 200, body: #"{"issuer":"https://other.example","token_endpoint":"\#(token)"}"#)
    let error = try await fixture.daemon.failure(LoginOperation(account: "work", method: .browser))
    #expect(error.code == .providerError)
    #expect(try await fixture.paths() == [metadata])
  }

  enum Source: CaseIterable { case command, keyring }

  @Test(arguments: ["client_secret_basic", "client_secret_post"], Source.allCases)
  func theClientProvesItselfWhereverItAsks(_ method: String, _ source: Source) async throws {
    let command = source == .command ? "client_secret_command=printf %s '\(Self.secret)'" : ""
    let fixture = try await KeyrackFixture.withBrowser(
      "par=required\ntoken_endpoint_auth_method=\(method)\n\(command)")
    try await fixture.provider.set(.init(clientSecrets: ["keyrack-test": Self.secret]))
    if source == .keyring {
      _ = try await fixture.daemon.call(SecretOperation(provider: "corp", secret: Secret(Self.secret)))
    }
    #expect(try await fixture.signInWithBrowser().subject == "alice")
    let token = try await fixture.token()
    #expect(try await fixture.provider.accepts(accessToken: fixture.token(insteadOf: token)))
    #expect(try await fixture.daemon.call(LogoutOperation(account: "work", wait: true)).remote == .done)
    let log = try await fixture.provider.log()
    for request in log where ["/par", "/token", "/revoke"].contains(request.path) {
      let isBasic = method == "client_secret_basic"
      #expect(request.form?["client_secret"] == (isBasic ? nil : Self.secret), "\(request.path)")
      #expect((request.headers["authorization"] != nil) == isBasic, "\(request.path)")
    }
    #expect(log.filter { ["/par", "/token", "/revoke"].contains($0.path) }.count == 4)
    #expect(log.allSatisfy { !$0.query.contains("s3cr") })
    #expect(!fixture.daemon.said.contains("s3cr"))
  }

  @Test(arguments: ["", "par=required\n"])
  func withoutItsSecretAClientAsksNobody(setting: String) async throws {
    let fixture = try await KeyrackFixture.withBrowser("\(setting)token_endpoint_auth_method=client_secret_basic")
    let error = try await fixture.daemon.failure(LoginOperation(account: "work", method: .browser))
    #expect(error.code == .configError)
    #expect(error.hint == "keyrack provider secret corp")
    #expect(try await fixture.paths().isEmpty)
  }

  @Test func aClientThatWasRegisteredSignsIn() async throws {
    let fixture = try await KeyrackFixture(configuration: KeyrackFixture.discovered())
    try await fixture.provider.set(.init(takesPublicClients: false))
    let issuer = fixture.provider.url("")
    let reply = try await fixture.daemon.call(RegisterOperation(issuer: issuer, provider: "made"))
    let group = reply.settings.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    try fixture.daemon.write(
      configuration: "[provider made]\n\(group)\nscopes=openid\n[account work]\nprovider=made\n")
    _ = try await fixture.daemon.call(ReloadOperation())
    #expect(try await fixture.signInWithBrowser().subject == "alice")
    let exchange = try #require(try await fixture.requests("/token").first)
    #expect(exchange.headers["authorization"]?.hasPrefix("Basic ") == true)
  }
}

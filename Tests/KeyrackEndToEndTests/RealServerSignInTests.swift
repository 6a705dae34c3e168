import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// In seconds; a refresh after half of it brings no id token from glewlwyd, and may not come before that is looked at.
private let accessLifetime = 6

/// Signing in at servers that others wrote, over TLS with an authority of their own, by people whose browsers are scripts.
@Suite(.realServersOverTLS(accessLifetime: accessLifetime), .serialized, .timeLimit(.minutes(2)))
struct RealServerSignInTests {
  private static let withBrowser: [RealClient] = [.glewlwyd, .strict, .django]

  /// Of its one-use refresh tokens each is used once.
  @Test func aSessionLivesFromTheBrowserToTheLogout() async throws {
    let fixture = try await RealSignInFixture()
    var tokens: [RealClient: String] = [:]
    for client in Self.withBrowser {
      let reply = try await fixture.signIn(client)
      #expect(reply.remembered && reply.warnings.isEmpty && reply.scope?.contains("mail") == true, "\(client)")
      let claims = try await fixture.claims(client)
      #expect(claims.sub == reply.subject, "\(client)")
      #expect(try claims.iss == RealServers.provider(client.kind).url(client.path))
      #expect(try await fixture.status(client).subject == reply.subject)
      tokens[client] = try await fixture.goodToken(client)
    }
    for _ in 0..<3 {
      for client in Self.withBrowser {
        let spent = tokens[client]
        tokens[client] = try await fixture.token(client, insteadOf: spent)
        #expect(tokens[client] != spent, "\(client)")
      }
    }
    try await fixture.daemon.restart()
    for client in Self.withBrowser { tokens[client] = try await fixture.token(client) }
    try await Task.sleep(for: .seconds(accessLifetime + 1))
    for client in Self.withBrowser {
      #expect(try await fixture.goodToken(client) != tokens[client], "\(client)")
      let refreshToken = try await fixture.refreshToken(client)
      let reply = try await fixture.daemon.call(LogoutOperation(account: client.rawValue, wait: true))
      #expect(reply.local == .done)
      #expect(reply.remote == (client.canRevoke ? .done : .unsupported), "\(client)")
      #expect(try await fixture.accepts(refreshToken: refreshToken, client) != client.canRevoke, "\(client)")
    }
    #expect(try await fixture.session.items().isEmpty)
  }

  /// Valid ones; of the sample provider there are none.
  @Test func noIDTokenIsAnywhereAfterALogout() async throws {
    let fixture = try await RealSignInFixture()
    for client in Self.withBrowser {
      try await fixture.signIn(client)
      let idToken = try await fixture.idToken(client)
      if geteuid() == 0 {
        #expect(
          try await fixture.daemon.memoryPlaces(of: [idToken]).isEmpty == false, "the search finds nothing at all")
      }
      #expect(try await fixture.session.items().allSatisfy { !$0.secret.contains(idToken) })
      _ = try await fixture.daemon.call(LogoutOperation(account: client.rawValue, wait: true))
      try await fixture.daemon.memoryForgets([idToken])
      try fixture.session.expectInNoFile([idToken])
    }
  }

  @Test func aRequestIsPushedWhereTheIssuerTakesThat() async throws {
    let fixture = try await RealSignInFixture()
    for client in Self.withBrowser {
      let pending = try await fixture.begin(client)
      let isPushed = client.kind == .glewlwyd
      #expect(pending.url.contains("request_uri=urn") == isPushed, "\(pending.url)")
      #expect(pending.url.contains("code_challenge") != isPushed, "\(pending.url)")
      #expect(try await fixture.daemon.call(CancelOperation(account: client.rawValue)).canceled)
      #expect(try await pending.failure().code == .loginCanceled)
    }
  }

  @Test(arguments: [RealClient.glewlwyd, .djangoDevice])
  func aDeviceIsApprovedInABrowserElsewhere(_ client: RealClient) async throws {
    let fixture = try await RealSignInFixture()
    let pending = try await fixture.begin(client, .device)
    #expect(try await fixture.status(client).pendingLogin?.userCode?.isEmpty == false)
    let browser = try await pending.browse(as: "bob")
    #expect(browser.status == 0, "\(browser.error)")
    #expect(try await pending.outcome().remembered)
    _ = try await fixture.goodToken(client)
    let spent = try await fixture.token(client)
    _ = try await fixture.goodToken(client, insteadOf: spent)
  }

  @Test func aDeviceIsDenied() async throws {
    let fixture = try await RealSignInFixture()
    let pending = try await fixture.begin(.djangoDevice, .device)
    try await pending.browse("--deny")
    #expect(try await pending.failure().code == .loginDenied)
  }

  @Test(arguments: withBrowser)
  func whatTheBrowserEndsOnIsPasted(_ client: RealClient) async throws {
    let fixture = try await RealSignInFixture()
    let pending = try await fixture.begin(client, .paste)
    let address = try await pending.browse("--print").output
    let response = LoginResponseOperation(account: client.rawValue, url: Secret(address))
    #expect(try await fixture.daemon.call(response).account == client.rawValue)
    #expect(try await pending.outcome().subject != nil)
    _ = try await fixture.goodToken(client)
  }

  // MARK: Other ends

  @Test func withoutConsentNobodyIsSignedIn() async throws {
    let fixture = try await RealSignInFixture()
    let pending = try await fixture.begin(.django)
    try await pending.browse("--deny")
    let error = try await pending.failure()
    #expect(error.code == .loginDenied, "\(error)")
    #expect(try await fixture.status(.django).state == .signedOut)
  }

  /// glewlwyd has no way to say no: there it is a sign-in that is good for nothing else.
  @Test func consentToLessIsTold() async throws {
    let fixture = try await RealSignInFixture()
    let pending = try await fixture.begin(.glewlwyd)
    // A server remembers whoever has given more.
    try await pending.browse(as: "carol", "--deny")
    let reply = try await pending.outcome()
    #expect(reply.scope == "openid")
    #expect(reply.warnings.map(\.code) == ["scope"])
  }

  @Test(arguments: [RealClient.strict, .django])
  func aWrongPasswordInTheBrowserEndsNothing(_ client: RealClient) async throws {
    let fixture = try await RealSignInFixture()
    let pending = try await fixture.begin(client)
    #expect(try await pending.browse("--password", "wrong").status == 1)
    #expect(try await fixture.status(client).pendingLogin?.url == pending.url)
    #expect(try await pending.browse().status == 0)
    #expect(try await pending.outcome().subject != nil)
  }

  @Test(arguments: [RealClient.strict, .django])
  func somebodyElseIsRefusedUnlessThatIsMeant(_ client: RealClient) async throws {
    let fixture = try await RealSignInFixture()
    let alice = try await fixture.signIn(client).subject
    let pending = try await fixture.begin(client)
    // What the page tells the browser.
    #expect(try await pending.browse(as: "bob").status == 1)
    #expect(try await pending.failure().code == .subjectMismatch)
    #expect(try await fixture.status(client).subject == alice)
    _ = try await fixture.goodToken(client)
    let bob = try await fixture.signIn(client, as: "bob", force: true).subject
    #expect(bob != nil && bob != alice)
    _ = try await fixture.goodToken(client)
    #expect(try await fixture.daemon.call(StatusOperation()).outbox.isEmpty)
  }

  @Test func anAuthorityThatNobodyNamedIsNotTrusted() async throws {
    let fixture = try await RealSignInFixture()
    let provider = try RealServers.provider(.django)
    try fixture.daemon.write(
      configuration: """
        [provider other]
        issuer=\(provider.url("/o"))
        client_id=keyrack-browser
        [account other]
        provider=other
        """)
    _ = try await fixture.daemon.call(ReloadOperation())
    let error = try await fixture.daemon.failure(LoginOperation(account: "other", method: .browser))
    #expect(error.code == .temporarilyUnavailable)
    #expect(error.message.contains("certificate"), "\(error.message)")
  }

  // MARK: By command

  @Test(arguments: [RealClient.strict, .django])
  func theCommandOpensTheBrowser(_ client: RealClient) async throws {
    let fixture = try await RealSignInFixture()
    let browser = try RealServers.provider(client.kind).browser().joined(separator: " ")
    let run = try await Child.run(
      [Products.path(of: "keyrack"), "login", client.rawValue],
      environment: fixture.daemon.environment.merging(["BROWSER": browser]) { $1 }, within: .seconds(30))
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("signed in to \(client.rawValue) as "), "\(run.error)")
    let token = try await fixture.daemon.keyrack("token", client.rawValue)
    #expect(token.status == 0)
    #expect(try await fixture.accepts(token.output.trimmingCharacters(in: .newlines), client))
  }
}

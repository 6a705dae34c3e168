import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Signing in with a browser, from the request on the socket to the browser's last page.
@Suite(.timeLimit(.minutes(2))) struct BrowserLoginTests {
  @Test func theEventHasTheRequestsIDAndNoMoreThanTheProtocolSays() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let earliest = Int(Date().timeIntervalSince1970) + 599
    let login = try await OpenSignIn(fixture)
    let line = try #require(try JSONSerialization.jsonObject(with: Data(login.line.utf8)) as? [String: Any])
    #expect(Set(line.keys) == ["id", "event", "url", "expires_at"])
    #expect(line["id"] as? Int == 7)
    #expect(line["event"] as? String == "authorize")
    #expect((earliest...(earliest + 30)).contains(try #require(line["expires_at"] as? Int)))
    #expect(try await fixture.paths().isEmpty)
  }

  @Test func theBrowserComesBackAndTheSessionIsThere() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    let page = try await callback.deliver()
    #expect(page.status == 200)
    #expect(page.body.contains("The sign-in worked."))
    let reply = try await login.outcome().get()
    #expect(reply.account == "work")
    #expect(reply.subject == "alice")
    #expect(reply.remembered)
    #expect(reply.warnings.isEmpty)
    #expect(await !callback.isOpen)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    let status = try await fixture.status(of: "work")
    #expect(status.state == .active)
    #expect(status.saved)
    #expect(status.subject == "alice")
    #expect(status.pendingLogin == nil)
  }

  @Test func theProviderIsAskedAsTheStandardsSay() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let asked = try Callback(login.url)
    let callback = try await login.callback()
    try await callback.deliver()
    _ = try await login.outcome().get()
    #expect(asked["response_type"] == "code")
    #expect(asked["client_id"] == "keyrack-test")
    #expect(asked["scope"] == "openid mail offline_access")
    #expect(asked["code_challenge_method"] == "S256")
    #expect(asked["redirect_uri"] == "http://127.0.0.1:\(callback.port)/callback/corp")
    #expect(asked["state"] == callback["state"])
    #expect(Set(asked.parameters.map(\.name)).count == asked.parameters.count)
    #expect(try await fixture.paths() == ["/authorize", "/token", "/userinfo"])
    let form = try #require(try await fixture.requests("/token").first?.form)
    #expect(
      Set(form.keys) == ["grant_type", "code", "redirect_uri", "code_verifier", "client_id"])
    #expect(form["redirect_uri"] == asked["redirect_uri"])
  }

  @Test func aFormThatTheBrowserPostsIsTakenToo() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.set(.init(postsForm: true))
    #expect(try await fixture.signInWithBrowser().subject == "alice")
  }

  @Test func aPushedRequestLeavesNothingInTheAddress() async throws {
    let fixture = try await KeyrackFixture.withBrowser("par=required")
    try await fixture.provider.set(.init(requiresPush: true))
    let login = try await OpenSignIn(fixture)
    #expect(Set(try Callback(login.url).parameters.map(\.name)) == ["client_id", "request_uri"])
    try await login.callback().deliver()
    #expect(try await login.outcome().get().subject == "alice")
    #expect(try await fixture.paths() == ["/par", "/authorize", "/token", "/userinfo"])
    let pushed = try #require(try await fixture.requests("/par").first?.form)
    #expect(pushed["code_challenge_method"] == "S256")
    #expect(pushed["code_verifier"] == nil)
  }

  // MARK: How it can end

  @Test func whoRefusesConsentIsDenied() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.set(.init(consents: false))
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    let page = try await callback.deliver()
    #expect(page.body.contains("The sign-in was refused."))
    #expect(!page.body.contains("<no>"))
    let error = try await login.failure()
    #expect(error.code == .loginDenied)
    #expect(error.message.contains("access_denied"))
    #expect(await !callback.isOpen)
    #expect(try await fixture.requests("/token").isEmpty)
    #expect(try await fixture.status(of: "work").state == .signedOut)
  }

  @Test(arguments: [
    (discovers: false, issuer: "https://evil.example"), (discovers: true, issuer: "https://evil.example"),
  ])
  func anAnswerOfAnotherIssuerIsNotSpent(discovers: Bool, issuer: String) async throws {
    let fixture = try await KeyrackFixture(
      configuration: discovers ? KeyrackFixture.discovered() : KeyrackFixture.browser())
    try await fixture.provider.set(.init(answeredIssuer: issuer))
    let login = try await OpenSignIn(fixture)
    try await login.callback().deliver()
    #expect(try await login.failure().code == .loginFailed)
    #expect(try await fixture.requests("/token").isEmpty)
  }

  @Test func aMissingIssuerIsAnAttackOnlyWhereItWasPromised() async throws {
    let promised = try await KeyrackFixture(configuration: KeyrackFixture.discovered())
    let login = try await OpenSignIn(promised)
    try await promised.provider.set(.init(answeredIssuer: ""))
    try await login.callback().deliver()
    #expect(try await login.failure().code == .loginFailed)
    #expect(try await promised.requests("/token").isEmpty)
    let configured = try await KeyrackFixture.withBrowser()
    try await configured.provider.set(.init(answeredIssuer: ""))
    #expect(try await configured.signInWithBrowser().subject == "alice")
  }

  @Test func aCanceledSignInClosesItsPort() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    #expect(try await fixture.daemon.call(CancelOperation(account: "work")).canceled)
    #expect(try await login.failure().code == .loginCanceled)
    try await eventually("the end of the listener") { await !callback.isOpen }
    #expect(try await fixture.requests("/token").isEmpty)
    #expect(try await fixture.status(of: "work").pendingLogin == nil)
  }

  @Test func withALockedKeyringNobodyIsAskedAnything() async throws {
    let fixture = try await KeyrackFixture.withBrowser(keyring: .locked)
    let error = try await fixture.daemon.failure(LoginOperation(account: "work", method: .browser))
    #expect(error.code == .keyringLocked)
    #expect(try await fixture.paths().isEmpty)
    #expect(try await fixture.status(of: "work").pendingLogin == nil)
  }

  @Test func aProviderThatIsDownIsForNow() async throws {
    let discovered = try await KeyrackFixture(configuration: KeyrackFixture.discovered())
    discovered.provider.stop()
    let first = try await discovered.daemon.failure(LoginOperation(account: "work", method: .browser))
    #expect(first.code == .temporarilyUnavailable)
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    fixture.provider.stop()
    #expect(try await callback.deliver().body.contains("The sign-in failed"))
    #expect(try await login.failure().code == .temporarilyUnavailable)
    #expect(await !callback.isOpen)
  }

  // MARK: Who else is there

  @Test func twoClientsJoinAndGetTheSameLines() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let first = try await OpenSignIn(fixture)
    let second = try await OpenSignIn(fixture)
    #expect(first.line == second.line)
    let other = LoginOperation(account: "work", method: .browser, force: true)
    #expect(try await fixture.daemon.failure(other).code == .loginInProgress)
    try await first.callback().deliver()
    let lines = [try await first.wire.line(), try await second.wire.line()]
    #expect(lines[0] == lines[1])
    #expect(lines[0]?.contains(#""ok":true"#) == true)
    #expect(try await fixture.requests("/token").count == 1)
  }

  @Test func aClientThatHangsUpLeavesItPendingForAnother() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    var login: OpenSignIn? = try await OpenSignIn(fixture)
    let line = login?.line
    let url = try login?.url
    login = nil
    let pending = try #require(try await fixture.status(of: "work").pendingLogin)
    #expect(pending.method == .browser)
    #expect(pending.url == url)
    #expect(pending.expiresAt != nil)
    #expect(try await fixture.status(of: "work").state == .signingIn)
    let second = try await OpenSignIn(fixture)
    #expect(second.line == line)
    try await second.callback().deliver()
    #expect(try await second.outcome().get().subject == "alice")
  }

  @Test func nobodyNeedsToWaitForTheSignInToWork() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    var login: OpenSignIn? = try await OpenSignIn(fixture)
    let callback = try #require(try await login?.callback())
    login = nil
    #expect(try await callback.deliver().body.contains("The sign-in worked."))
    #expect(try await fixture.status(of: "work").state == .active)
  }

  // MARK: Signing in again

  @Test func aNewSignInRevokesWhatItReplaces() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.signInWithBrowser()
    let first = try await fixture.liveRefreshToken()
    try await fixture.signInWithBrowser()
    try await fixture.provider.waitForRequests("/revoke")
    #expect(try await fixture.requests("/revoke").map { $0.form?["token"] } == [first])
    #expect(try await fixture.liveRefreshToken() != first)
    try await fixture.keyringHolds(1)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
  }

  @Test func somebodyElseIsTurnedAwayUnlessThatIsMeant() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.signInWithBrowser()
    let token = try await fixture.token()
    try await fixture.provider.set(.init(consentingUser: "bob"))
    let login = try await OpenSignIn(fixture)
    try await login.callback().deliver()
    #expect(try await login.failure().code == .subjectMismatch)
    try await eventually("the end of what bob was granted") {
      try await fixture.provider.tokens().allSatisfy { $0.user == "alice" }
    }
    #expect(try await fixture.token() == token)
    #expect(try await fixture.signInWithBrowser(force: true).subject == "bob")
    #expect(try await fixture.status(of: "work").subject == "bob")
  }

  @Test func noSignInBeginsByItself() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.signInWithBrowser()
    let token = try await fixture.token()
    let refreshToken = try await fixture.liveRefreshToken()
    _ = try await fixture.provider.postForm("/revoke", ["token": refreshToken, "client_id": "keyrack-test"])
    let before = try #require(try await fixture.provider.log().last).number
    let wire = try Wire(fixture.daemon.socket)
    for _ in 0..<500 {
      await #expect(throws: ReplyError.self) {
        try await wire.call(TokenOperation(account: "work", rejected: Secret(token)))
      }
    }
    #expect(try await fixture.provider.log(after: before).map(\.path) == ["/token"])
    let status = try await fixture.status(of: "work")
    #expect(status.state == .loginRequired)
    #expect(status.pendingLogin == nil)
  }
}

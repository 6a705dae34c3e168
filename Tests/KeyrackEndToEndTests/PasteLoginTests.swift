import KeyrackProtocol
import TestSupport
import Testing

/// Signing in with a browser on another machine: the address comes by `login_response`.
@Suite(.timeLimit(.minutes(2))) struct PasteLoginTests {
  private func paste(_ address: String, _ fixture: KeyrackFixture) -> LoginResponseOperation {
    LoginResponseOperation(account: "work", url: Secret(address))
  }

  @Test func thePastedAddressSignsIn() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture, .paste)
    let callback = try await login.callback()
    #expect(await !callback.isOpen)
    #expect(try await fixture.status(of: "work").pendingLogin?.method == .paste)
    #expect(try await fixture.daemon.call(paste(callback.address, fixture)).account == "work")
    #expect(try await login.outcome().get().subject == "alice")
    let error = try await fixture.daemon.failure(paste(callback.address, fixture))
    #expect(error.code == .noLoginPending)
  }

  @Test func anAddressOfAnotherSignInEndsNothing() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture, .paste)
    let callback = try await login.callback()
    let other = try await fixture.daemon.failure(paste(callback.with("state", "x").address, fixture))
    #expect(other.code == .stateMismatch)
    let elsewhere = callback.address.replacing("/callback/", with: "/callback/another")
    #expect(try await fixture.daemon.failure(paste(elsewhere, fixture)).code == .stateMismatch)
    for nonsense in ["", "hello", "http://127.0.0.1:1/", callback.address + "&code=x"] {
      #expect(try await fixture.daemon.failure(paste(nonsense, fixture)).code == .badRequest, "\(nonsense)")
    }
    #expect(try await fixture.requests("/token").isEmpty)
    _ = try await fixture.daemon.call(paste(" \(callback.address)\n", fixture))
    #expect(try await login.outcome().get().subject == "alice")
  }

  @Test func aSignInWithTheBrowserHereTakesAPastedAddressToo() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    _ = try await fixture.daemon.call(paste(callback.query, fixture))
    #expect(try await login.outcome().get().subject == "alice")
    try await eventually("the end of the listener") { await !callback.isOpen }
  }

  @Test func withoutASignInThereIsNothingToPaste() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let address = "http://127.0.0.1:9/callback/corp?code=x&state=y"
    #expect(try await fixture.daemon.failure(paste(address, fixture)).code == .noLoginPending)
  }

  @Test func noTwoClientsShareAPaste() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    _ = try await OpenSignIn(fixture, .paste)
    let second = try await fixture.daemon.failure(LoginOperation(account: "work", method: .paste))
    #expect(second.code == .loginInProgress)
  }
}

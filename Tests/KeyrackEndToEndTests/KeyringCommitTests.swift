import KeyrackProtocol
import TestSupport
import Testing

/// gnome-keyring killed at each of the two commits of a store, and started again.
@Suite(.timeLimit(.minutes(1)), .enabled("needs strace, and root", PrivateSession.keyringCanBeTraced))
struct KeyringCommitTests {
  @Test(arguments: 1...2) func killedInTheStoreOfARefreshItCostsNoSession(commit: Int) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let trace = try await fixture.session.killKeyring(atCommit: commit)
    let second = try await fixture.token(insteadOf: first)
    _ = try await trace.wait()
    try await expectUnsaved(fixture, second)
    try await expectKept(fixture, second)
    #expect(try await fixture.provider.log().count { $0.grantType == "refresh_token" } == 3)
  }

  /// After the second commit the item is there, and empty.
  @Test(arguments: 1...2) func killedInTheStoreOfASignInItCostsNoSession(commit: Int) async throws {
    let fixture = try await KeyrackFixture()
    let trace = try await fixture.session.killKeyring(atCommit: commit)
    #expect(try await fixture.signIn().warnings.map(\.code) == ["unsaved"])
    _ = try await trace.wait()
    let token = try await fixture.token()
    try await expectUnsaved(fixture, token)
    try await expectKept(fixture, token)
  }

  /// Nothing is spent while the newest refresh token is only in memory.
  private func expectUnsaved(_ fixture: KeyrackFixture, _ token: String) async throws {
    let status = try await fixture.status(of: "work")
    #expect(status.state == .unsaved)
    #expect(!status.saved)
    #expect(try await fixture.token() == token)
    let spent = try await fixture.provider.log().count
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(token)))
    #expect(error.code == .keyringUnavailable)
    #expect(try await fixture.provider.log().count == spent)
  }

  /// With the keyring back, by this daemon and by the next.
  private func expectKept(_ fixture: KeyrackFixture, _ token: String) async throws {
    try await fixture.session.killKeyring()
    try await fixture.session.startKeyring()
    let next = try await fixture.token(insteadOf: token)
    #expect(try await fixture.provider.accepts(accessToken: next))
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    let status = try await fixture.status(of: "work")
    #expect(status.state == .active)
    #expect(status.saved)
    await fixture.daemon.kill()
    try await fixture.daemon.start()
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    #expect(try await fixture.sawReuse() == false)
  }
}

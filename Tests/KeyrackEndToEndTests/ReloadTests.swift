import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// The configuration read again, by request and by SIGHUP.
@Suite(.timeLimit(.minutes(1))) struct ReloadTests {
  private func reload(_ fixture: KeyrackFixture, _ configuration: String) async throws -> ReloadOperation.Reply {
    try fixture.daemon.write(configuration: configuration)
    return try await fixture.daemon.call(ReloadOperation())
  }

  @Test func anAccountComesAndGoesAndComesBackWithItsSession() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let provider = fixture.provider
    let both = KeyrackFixture.oauth(provider, accounts: ["work", "other"])
    #expect(try await reload(fixture, both) == .init(added: ["other"], removed: [], changed: []))
    #expect(try await fixture.daemon.failure(TokenOperation(account: "other")).reason == "signed_out")
    #expect(try await fixture.token() == first)
    let other = KeyrackFixture.oauth(provider, accounts: ["other"])
    #expect(try await reload(fixture, other) == .init(added: [], removed: ["work"], changed: []))
    #expect(try await fixture.status().orphans == ["work"])
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).code == .unknownAccount)
    #expect(try await fixture.items("session").count == 1)
    #expect(try await reload(fixture, both).added == ["work"])
    #expect(try await fixture.status().orphans.isEmpty)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    #expect(try await fixture.sawReuse() == false)
  }

  @Test func anAccountThatGoesDuringARefreshKeepsItsSession() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let before = KeyrackFixture.oauth(fixture.provider)
    try await fixture.provider.script("/token", hold: true)
    async let waiter = fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
    try await fixture.provider.waitForRequests("/token", count: 2)
    #expect(try await reload(fixture, KeyrackFixture.oauth(fixture.provider, accounts: [])).removed == ["work"])
    #expect(try await waiter.code == .sessionEnded)
    try await fixture.provider.release("/token")
    try await eventually("the new token in the keyring") {
      try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken())
    }
    #expect(try await reload(fixture, before).added == ["work"])
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    #expect(try await fixture.provider.log().allSatisfy { $0.outcome == .granted })
  }

  @Test func anotherClientSetsTheSessionAsideUntilItIsTheSameAgain() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let before = KeyrackFixture.oauth(fixture.provider)
    let record = try await fixture.onlyItem()
    let changed = before.replacing("keyrack-test", with: "another")
    #expect(try await reload(fixture, changed) == .init(added: [], removed: [], changed: ["work"], providers: ["corp"]))
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    #expect(error.code == .loginRequired)
    #expect(error.reason == "config")
    #expect(try await fixture.status(of: "work").state == .loginRequired)
    #expect(try await fixture.status(of: "work").reason == "config")
    try await fixture.daemon.restart()
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "config")
    #expect(try await fixture.onlyItem() == record)
    #expect(try await fixture.provider.log().count == 1)
    #expect(try await reload(fixture, before).changed == ["work"])
    let second = try await fixture.token()
    #expect(second != first)
    #expect(try await fixture.provider.accepts(accessToken: second))
  }

  @Test func aBrokenFileIsNamedAndTheOldConfigurationStaysInForce() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider) + "provder=corp\n")
    let error = try await fixture.daemon.failure(ReloadOperation())
    #expect(error.code == .configError)
    #expect(error.message.contains("keyrack.conf:8: [account work] provder"))
    #expect(try await fixture.token() == first)
    let second = try await fixture.token(insteadOf: first)
    #expect(try await fixture.provider.accepts(accessToken: second))
  }

  @Test func thePersonIsToldWhatHasChanged() async throws {
    let fixture = try await KeyrackFixture(accounts: ["work", "old"])
    #expect(try await fixture.daemon.keyrack("reload").error == "nothing has changed\n")
    let before = KeyrackFixture.oauth(fixture.provider, accounts: ["work", "new"])
    try fixture.daemon.write(configuration: before.replacing("keyrack-test", with: "another"))
    let run = try await fixture.daemon.keyrack("reload")
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(
      run.error.hasPrefix(
        "new: added\nold: removed\nwork: changed\nprovider corp: changed\na session of what was removed"))
    try fixture.daemon.write(configuration: before + "provder=corp\n")
    let broken = try await fixture.daemon.keyrack("reload")
    #expect(broken.status == 1 && broken.error.contains("keyrack.conf:10: [account new] provder"))
    await fixture.daemon.send(SIGHUP)
    try await eventually("the complaint") { fixture.daemon.said.contains("keyrack.conf:10: [account new] provder") }
    try fixture.daemon.write(configuration: before)
    await fixture.daemon.send(SIGHUP)
    let line = "configuration read: new: changed, work: changed, provider corp: changed"
    try await eventually("the changes in the log") { fixture.daemon.said.contains(line) }
  }

  @Test func aSignalDoesTheSame() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let both = KeyrackFixture.oauth(fixture.provider, accounts: ["work", "other"])
    try fixture.daemon.write(configuration: both)
    await fixture.daemon.send(SIGHUP)
    try await eventually("the new account") { try await fixture.status().accounts.map(\.account) == ["other", "work"] }
    try fixture.daemon.write(configuration: "nonsense")
    await fixture.daemon.send(SIGHUP)
    try await eventually("the complaint") { fixture.daemon.said.contains("keyrack.conf:1: ") }
    #expect(try await fixture.status().accounts.map(\.account) == ["other", "work"])
    #expect(try await fixture.token() == first)
  }
}

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
    #expect(try await reload(fixture, changed) == .init(added: [], removed: [], changed: ["work"]))
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

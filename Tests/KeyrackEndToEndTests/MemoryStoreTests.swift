import FoundationEssentials
import KeyrackProtocol
import TestSupport
import Testing

/// `store=memory`, where there is no keyring at all.
@Suite(.timeLimit(.minutes(1))) struct MemoryStoreTests {
  private func fixture() async throws -> KeyrackFixture {
    try await KeyrackFixture(.withoutService) { KeyrackFixture.oauth($0) + "[keyrack]\nstore=memory\n" }
  }

  @Test func aSignInServesUntilTheDaemonEnds() async throws {
    let fixture = try await fixture()
    #expect(try await !fixture.signIn().remembered)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    #expect(try await fixture.status(of: "work").remembered == false)
    let keyring = try await fixture.daemon.call(StatusOperation()).keyring
    #expect(keyring.state == .ok)
    #expect(keyring.message?.contains("store=memory") == true)
    try await fixture.daemon.restart()
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }

  @Test func aLogoutIsToldToTheProvider() async throws {
    let fixture = try await fixture()
    try await fixture.signIn()
    let reply = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    #expect((reply.local, reply.remote) == (.done, .done))
    #expect(try await fixture.liveRefreshTokens().isEmpty)
  }

  @Test func aClientSecretIsKeptAsLong() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.daemon.call(SecretOperation(provider: "corp", secret: Secret("s3")))
    #expect(reply.remembered == false)
  }

  @Test func nothingIsLeftAfterAPurge() async throws {
    let fixture = try await fixture()
    try await fixture.signIn()
    let checks = try await fixture.daemon.call(CheckOperation()).checks
    #expect(checks.contains { $0.name == "keyring" && $0.result == .ok && $0.message.contains("store=memory") })
    let reply = try await fixture.daemon.call(PurgeOperation(confirm: true))
    #expect((reply.revoked, reply.failed) == (1, 0))
    #expect(try await fixture.liveRefreshTokens().isEmpty)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }

  @Test func aReloadThatWouldChangeItIsRefused() async throws {
    let fixture = try await fixture()
    try await fixture.signIn()
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider))
    let error = try await fixture.daemon.failure(ReloadOperation())
    #expect(error.code == .configError)
    #expect(error.message.contains("only after a restart"))
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
  }

  @Test func whatIsSaidInWords() async throws {
    let fixture = try await fixture()
    try await fixture.signIn()
    let status = try await CommandRun.run(["status"], socket: fixture.daemon.socket)
    #expect(status.text.contains("work: kept in memory only: it ends when keyrackd stops"))
    #expect(status.text.contains("keyring: not used: "))
  }

  @Test func withoutItTheErrorNamesTheWays() async throws {
    let fixture = try await KeyrackFixture(.withoutService)
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    #expect(error.code == .keyringUnavailable)
    for way in ["keyrack-headless-keyring.service", "store=memory"] { #expect(error.hint?.contains(way) == true) }
  }
}

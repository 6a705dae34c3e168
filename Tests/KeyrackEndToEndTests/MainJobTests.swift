import KeyrackProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct MainJobTests {
  @Test func aSessionOutlivesTheDaemonAndEndsWithItsLogout() async throws {
    let fixture = try await KeyrackFixture(accessLifetime: 2)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
    let login = try await fixture.signIn()
    #expect(login.remembered)
    let first = try await fixture.token()
    #expect(try await fixture.provider.accepts(accessToken: first))
    try await fixture.daemon.restart()
    let second = try await fixture.token()
    #expect(second != first)
    #expect(try await fixture.provider.accepts(accessToken: second))
    let logout = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    #expect(logout == .init(account: "work", local: .done, remote: .done))
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }
}

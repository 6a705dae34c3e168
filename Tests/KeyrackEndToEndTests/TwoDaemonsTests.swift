import KeyrackProtocol
import TestSupport
import Testing

/// Two daemons that know of each other by the keyring alone, as those of a desktop session and of a login by ssh may.
@Suite(.timeLimit(.minutes(1))) struct TwoDaemonsTests {
  @Test("R29 a sign-in at one daemon serves the other, too") func oneSignInIsForBoth() async throws {
    let here = try await KeyrackFixture()
    let there = try await KeyrackDaemon(
      in: here.session, configuration: KeyrackFixture.oauth(here.provider), apart: "there")
    try await here.signIn()
    let spent = try await here.token()
    try await here.provider.script("/token", status: 400, body: #"{"error":"invalid_grant"}"#)
    let refusal = try await here.daemon.failure(TokenOperation(account: "work", rejected: Secret(spent)))
    #expect(refusal.code == .loginRequired && refusal.reason == "revoked")
    #expect(try await here.status(of: "work").state == .loginRequired)

    let login = LoginOperation(account: "work", username: "alice", password: Secret(KeyrackFixture.password))
    let session = try await there.call(login).session
    let theirs = try await there.call(TokenOperation(account: "work")).token
    let ours = text(try await here.daemon.call(TokenOperation(account: "work", rejected: Secret(spent))).token)
    #expect(try await here.provider.accepts(accessToken: ours))
    #expect(try await here.status(of: "work").state == .active)
    #expect(try await here.items("session").map { $0.secret.contains(session) } == [true])

    // The refresh here has spent the refresh token that was got there.
    let next = try await there.call(TokenOperation(account: "work", rejected: theirs)).token
    #expect(try await here.provider.accepts(accessToken: text(next)))
    #expect(try await here.provider.log().count { $0.outcome == .reuse } == 0)
  }
}

import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// `allow=`, with the real daemon and clients that are programs of their own.
@Suite(.timeLimit(.minutes(2))) struct AllowTests {
  private static let unshare = geteuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--mount", "--map-root-user"]

  /// Only socat may use `work`; everybody `other`.
  private func fixture() async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture { provider in
      KeyrackFixture.oauth(provider, accounts: ["other", "work"]) + "allow=exe:/usr/bin/socat*\n"
    }
    let login = #"{"op":"login","account":"work","username":"alice","password":"\#(KeyrackFixture.password)"}"#
    #expect(try await socat(login, fixture).contains(#""ok":true"#))
    return fixture
  }

  private func socat(_ line: String, _ fixture: KeyrackFixture, in sandbox: [String] = []) async throws -> String {
    try await Child.run(
      sandbox + ["socat", "-t35", "-", "UNIX-CONNECT:\(fixture.daemon.socket)"],
      environment: fixture.daemon.environment, input: line + "\n", within: .seconds(30)
    ).output
  }

  private func token(_ fixture: KeyrackFixture, rejecting: String? = nil) async throws -> String {
    let line = TokenOperation(account: "work", rejected: rejecting.map(Secret.init)).line()
    let answer = try await socat(String(decoding: line.dropLast(), as: UTF8.self), fixture)
    return text(try Reply<TokenOperation.Reply>(line: answer.utf8.dropLast()).result.get().token)
  }

  private func expectOthersKeptOut(_ fixture: KeyrackFixture, _ location: SourceLocation = #_sourceLocation)
    async throws
  {
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    #expect(error.code == .forbidden, sourceLocation: location)
    #expect(error.reason == "not_allowed", sourceLocation: location)
  }

  @Test func whoIsNotListedGetsExitStatusSix() async throws {
    let fixture = try await fixture()
    for command in ["token", "logout", "status"] {
      let run = try await fixture.daemon.keyrack(command, "work")
      #expect(run.status == 6, "\(command): \(run.error)")
      #expect(run.output.isEmpty)
      #expect(run.error.contains("keyrack: work: this program may not use the account"))
      #expect(run.error.contains("add exe:\(Products.path(of: "keyrack")) to allow= of [account work]"))
    }
    #expect(try await fixture.provider.accepts(accessToken: token(fixture)))
  }

  @Test func whoMayUseNothingIsNotToldThatNothingIsConfigured() async throws {
    let fixture = try await KeyrackFixture { KeyrackFixture.oauth($0) + "allow=exe:/usr/bin/socat*\n" }
    let run = try await fixture.daemon.keyrack("status")
    #expect(run.error.hasPrefix("no account is configured that this program may use; "), "\(run.error)")
  }

  @Test func statusShowsWhatTheProgramMayUse() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.status().accounts.map(\.account) == ["other"])
    let answer = try await socat(#"{"op":"status"}"#, fixture)
    let reply = try Reply<StatusOperation.Reply>(line: answer.utf8.dropLast()).result.get()
    #expect(reply.accounts.map(\.account) == ["other", "work"])
  }

  @Test func oneInASandboxGetsNothingWhateverThereIs() async throws {
    let fixture = try await fixture()
    for account in ["work", "other", "missing"] {
      let answer = try await socat(#"{"op":"token","account":"\#(account)"}"#, fixture, in: Self.unshare)
      #expect(answer.contains(#""code":"forbidden""#), "\(answer)")
      #expect(answer.contains(#""reason":"sandboxed""#), "\(answer)")
    }
    #expect(try await fixture.provider.log().count == 1)
  }

  @Test func theyHoldAfterARefreshAReloadAndARestart() async throws {
    let fixture = try await fixture()
    let first = try await token(fixture)
    let second = try await token(fixture, rejecting: first)
    #expect(second != first)
    try await expectOthersKeptOut(fixture)
    _ = try await fixture.daemon.call(ReloadOperation())
    try await expectOthersKeptOut(fixture)
    try await fixture.daemon.restart()
    try await expectOthersKeptOut(fixture)
    #expect(try await fixture.provider.accepts(accessToken: token(fixture)))
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider))
    _ = try await fixture.daemon.call(ReloadOperation())
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
  }
}

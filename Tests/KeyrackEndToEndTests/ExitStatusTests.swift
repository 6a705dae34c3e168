import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// The real `keyrack` at the real `keyrackd`: what a script sees of each kind of trouble.
@Suite(.timeLimit(.minutes(2))) struct ExitStatusTests {
  private struct Line: Decodable {
    struct Failure: Decodable {
      let code: ErrorCode
      let hint: String?
    }
    let ok: Bool
    let error: Failure
  }

  private static let login = ["login", "work", "--username", "alice", "--password-stdin"]

  /// Runs it twice, for a person and for a program.
  private func expect(
    _ code: ErrorCode, _ status: Int32, of arguments: [String], input: String = "", at daemon: KeyrackDaemon,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let plain = try await keyrack(arguments, input, daemon)
    #expect(plain.status == status, "\(plain.error)", sourceLocation: location)
    #expect(plain.output.isEmpty, sourceLocation: location)
    let lines = plain.error.split(separator: "\n").map(String.init)
    #expect(lines.count == 2, "\(lines)", sourceLocation: location)
    #expect(lines.last?.hasPrefix("keyrack: hint: ") == true, "\(lines)", sourceLocation: location)
    let json = try await keyrack(arguments + ["--json"], input, daemon)
    #expect(json.status == status, sourceLocation: location)
    #expect(json.error.isEmpty, sourceLocation: location)
    let line = try JSONDecoder().decode(Line.self, from: Data(json.output.utf8))
    #expect(!line.ok, sourceLocation: location)
    #expect(line.error.code == code, sourceLocation: location)
    #expect(line.error.hint?.isEmpty == false, "\(json.output)", sourceLocation: location)
  }

  private func keyrack(_ arguments: [String], _ input: String, _ daemon: KeyrackDaemon) async throws -> Child.Result {
    try await Child.run(
      [Products.path(of: "keyrack")] + arguments, environment: daemon.environment, input: input, within: .seconds(60))
  }

  @Test func ofAnAccount() async throws {
    let fixture = try await KeyrackFixture()
    let daemon = fixture.daemon
    for command in ["token", "login", "logout", "status"] {
      let rest = command == "login" ? ["--username", "alice", "--password-stdin"] : []
      try await expect(.unknownAccount, 1, of: [command, "wrok"] + rest, input: "secret", at: daemon)
    }
    try await expect(.loginRequired, 3, of: ["token", "work"], at: daemon)
    try await expect(.loginDenied, 8, of: Self.login, input: "wrong", at: daemon)
    #expect(try await fixture.provider.log().map(\.outcome) == [.denied, .denied])
  }

  @Test func ofAProvider() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let token = try await fixture.token()
    fixture.provider.stop()
    try await expect(.temporarilyUnavailable, 4, of: Self.login, input: KeyrackFixture.password, at: fixture.daemon)
    let rejected = ["token", "work", "--rejected-stdin"]
    try await expect(.temporarilyUnavailable, 4, of: rejected, input: token, at: fixture.daemon)
  }

  @Test func ofAProviderThatAsksToSlowDown() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.provider.script("/token", status: 429, headers: ["Retry-After": "60"])
    try await expect(.throttled, 4, of: Self.login, input: KeyrackFixture.password, at: fixture.daemon)
  }

  @Test(arguments: [
    (PrivateSession.Mode.locked, ErrorCode.keyringLocked), (.withoutService, .keyringUnavailable),
    (.withoutBus, .keyringUnavailable),
  ])
  func ofAKeyring(_ mode: PrivateSession.Mode, _ code: ErrorCode) async throws {
    let fixture = try await KeyrackFixture(mode)
    try await expect(code, 5, of: ["token", "work"], at: fixture.daemon)
    try await expect(code, 5, of: Self.login, input: KeyrackFixture.password, at: fixture.daemon)
    // Nothing was spent on it.
    #expect(try await fixture.provider.log().isEmpty)
  }

  @Test func ofADaemonThatIsNotRunning() async throws {
    let daemon = try await KeyrackFixture().daemon
    try await daemon.stop()
    for arguments in [["token", "work"], ["status"], Self.login] {
      let run = try await keyrack(arguments, "secret", daemon)
      #expect(run.status == 7, "\(run.error)")
      #expect(run.output.isEmpty)
      #expect(run.error.contains("\nkeyrack: hint: systemctl --user start keyrack.socket"))
    }
  }

  @Test(arguments: [
    ("[account work]\nprovider=corp\n", "provider"),
    ("[provider corp]\nclient_id=c\ntoken_endpoint=http://example.org/token\n", "token_endpoint"),
    ("[provider corp]\nclient_id=c\ntoken_endpiont=https://example.org/token\n", "token_endpiont"),
  ])
  func ofABrokenConfiguration(_ configuration: String, _ key: String) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.daemon.stop()
    try fixture.daemon.write(configuration: configuration)
    let run = try await Child.run([Products.path(of: "keyrackd")], environment: fixture.daemon.environment)
    #expect(run.status == 78)
    let lines = run.error.split(separator: "\n")
    #expect(lines.count == 2, "\(run.error)")
    #expect(lines.first?.contains("keyrack.conf") == true && lines.first?.contains(key) == true, "\(run.error)")
    #expect(run.output.isEmpty)
  }
}

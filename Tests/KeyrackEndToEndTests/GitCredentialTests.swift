import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// `keyrack git-credential`, byte for byte, as git 2.39 and later ones speak to it.
@Suite(.timeLimit(.minutes(2))) struct GitCredentialTests {
  static let uses = """
    [use git https://git.example.org]
    account=work
    [use git https://git.example.org/team]
    account=other
    username=alice
    [use git https://git.example.org/team bob]
    account=work

    """
  private static let host = "protocol=https\nhost=git.example.org\n"

  private func fixture() async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture { provider in
      KeyrackFixture.oauth(provider, accounts: ["work", "other"]) + Self.uses
    }
    for account in ["work", "other"] { try await fixture.signIn(account) }
    return fixture
  }

  private func helper(
    _ action: String, _ input: String, _ fixture: KeyrackFixture
  ) async throws -> Child.Result {
    try await fixture.daemon.keyrack("git-credential", action, input: input)
  }

  /// Its output, in which END stands for the end of a token that lives for an hour from now: asked again, the daemon may
  /// tell the second before or after.
  private func get(_ input: String, _ fixture: KeyrackFixture) async throws -> String {
    let run = try await helper("get", input, fixture)
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    guard let match = run.output.firstMatch(of: /password_expiry_utc=([0-9]+)/) else { return run.output }
    let left = try #require(Double(match.1)) - Date().timeIntervalSince1970
    #expect((3500...3601).contains(left))
    return run.output.replacing(match.0, with: "password_expiry_utc=END")
  }

  @Test func theAccountIsThatOfHostPathAndUser() async throws {
    let fixture = try await fixture()
    let (work, other) = (try await fixture.token(), try await fixture.token("other"))
    for (input, user, token) in [
      (Self.host, "oauth2", work), (Self.host + "path=x.git\nusername=carol\n\nignored", "carol", work),
      (Self.host + "path=team/x.git\n", "alice", other), (Self.host + "path=team/x.git\nusername=bob\n", "bob", work),
      (Self.host + "path=team/x.git\nusername=carol\n", "carol", work),
    ] {
      let expected = "username=\(user)\npassword=\(token)\npassword_expiry_utc=END\n"
      #expect(try await get(input, fixture) == expected, "\(input)")
    }
  }

  @Test(arguments: [
    "protocol=https\nhost=elsewhere.example\n", "protocol=https\nhost=git.example.org:8443\n",
    "protocol=http\nhost=git.example.org\n", "protocol=smtp\nhost=git.example.org\n", "protocol=https\n", "", "\n",
    "protocol=https\nhost=git.example.org/x@elsewhere.example\n", "protocol=https\nhost=a@git.example.org\n",
    "protocol=https\nhost=git.example.org\\@elsewhere.example\n",
  ])
  func ofAnotherPlaceNothingIsSaid(_ input: String) async throws {
    #expect(try await get(input, fixture()).isEmpty)
  }

  /// git 2.46 and later.
  @Test func aServerThatTakesTokensByTheirSchemeGetsThemSo() async throws {
    let fixture = try await fixture()
    let token = try await fixture.token()
    let able = "capability[]=authtype\ncapability[]=state\n" + Self.host
    let state = "state[]=keyrack:\(try await digest(token))\ncontinue=1\n"
    let end = "password_expiry_utc=END\n"
    let bearer = """
      capability[]=authtype
      capability[]=state
      authtype=Bearer
      credential=\(token)
      ephemeral=1

      """
    #expect(try await get(able + "wwwauth[]=Bearer realm=\"a, b\"\n", fixture) == bearer + end + state)
    #expect(try await get(able + "wwwauth[]=Basic realm=\"x\", bearer\n", fixture) == bearer + end + state)
    let basic = "username=oauth2\npassword=\(token)\n" + end
    #expect(
      try await get(able + "wwwauth[]=Basic realm=\", Bearer\"\n", fixture) == "capability[]=state\n" + basic + state)
    // Without the capability it could not send them.
    #expect(try await get(Self.host + "wwwauth[]=Bearer\n", fixture) == basic)
  }

  @Test func aRefusedTokenIsReplacedInTheSameRequest() async throws {
    let fixture = try await fixture()
    let first = try await fixture.token()
    let able = "capability[]=authtype\ncapability[]=state\n" + Self.host
    let again = "state[]=other:1\nstate[]=keyrack:\(try await digest(first))\n"
    let answer = try await get(able + again + "username=oauth2\n", fixture)
    let second = try await fixture.token()
    #expect(second != first)
    #expect(answer == "username=oauth2\npassword=\(second)\npassword_expiry_utc=END\n")
    // Refused as well: a third would not help.
    let erased = try await helper("erase", able + again + "username=oauth2\npassword=\(second)\n", fixture)
    #expect(erased.status == 0)
    #expect(try await fixture.token() == second)
  }

  @Test(arguments: ["username=oauth2\npassword=", "authtype=Bearer\ncredential="])
  func afterARefusalTheNextOneIsAnother(_ form: String) async throws {
    let fixture = try await fixture()
    let first = try await fixture.token()
    let run = try await helper(
      "erase", "capability[]=authtype\n" + Self.host + form + first + "\noauth_refresh_token=x\n", fixture)
    #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty, "\(run.error)")
    #expect(try await get(Self.host, fixture).contains("password=\(try await fixture.token())\n"))
    #expect(try await fixture.token() != first)
  }

  @Test func whatIsNotOursIsNotTakenForRefused() async throws {
    let fixture = try await fixture()
    let first = try await fixture.token()
    for input in [
      Self.host, Self.host + "username=oauth2\npassword=another\n",
      "protocol=https\nhost=elsewhere.example\npassword=\(first)\n", Self.host + "path=team\npassword=\(first)\n",
    ] {
      let run = try await helper("erase", input, fixture)
      #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty, "\(run.error)")
    }
    #expect(try await fixture.token() == first)
    #expect(try await helper("store", Self.host + "password=x\n", fixture).output.isEmpty)
    #expect(try await helper("from-a-later-version", Self.host, fixture).status == 0)
  }

  @Test func whoIsSignedOutIsToldSoAndNobodyElseIsAsked() async throws {
    let fixture = try await fixture()
    _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    let run = try await helper("get", Self.host, fixture)
    #expect(run.status == 3)
    #expect(run.output == "quit=1\n")
    #expect(run.error == "keyrack: work: not signed in\nkeyrack: hint: keyrack login work\n")
  }

  @Test func withoutADaemonTheNextHelperIsAsked() async throws {
    let run = try await CommandRun.run(["git-credential", "get"], socket: "/nonexistent", input: Self.host)
    #expect(run.status == 7)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("keyrack: keyrackd is not running"))
  }

  @Test(arguments: [
    ("protocol=https\nhost\n", "git: a line without ="), ("host=a\u{7}b\n", "git: host: a control character"),
    ("host=a\r\n", "git: host: a control character"), ("path=a\u{1B}[m\n", "git: path: a control character"),
    ("username=a\0b\n", "git: username: a control character"),
    (
      "a=" + String(repeating: "x", count: 300_000),
      "what came on standard input is longer than 262144 bytes"
    ),
  ])
  func whatIsDamagedIsRefused(_ input: String, _ message: String) async throws {
    let run = try await Child.run(
      [Products.path(of: "keyrack"), "git-credential", "get"], environment: [:], input: input)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.error == "keyrack: \(message)\n")
  }

  @Test func itGoesByItsNameToo() async throws {
    let folder = try TemporaryFolder()
    let name = folder.path + "/git-credential-keyrack"
    try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: Products.path(of: "keyrack"))
    let run = try await Child.run([name, "capability"], environment: [:])
    #expect(run.output == "version 0\ncapability authtype\ncapability state\n")
    #expect(try await Child.run([name, "--help"], environment: [:]).output.hasPrefix("usage: keyrack git-credential "))
    #expect(try await Child.run([name], environment: [:]).status == 2)
  }

  private func digest(_ token: String) async throws -> String {
    let run = try await Child.run(["sha256sum"], environment: ["PATH": "/usr/bin:/bin"], input: token)
    return "sha256:" + run.output.prefix { $0 != " " }
  }
}

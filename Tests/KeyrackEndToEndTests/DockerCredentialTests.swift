import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// `keyrack docker-credential`, byte for byte, and with a program of the kind that asks it.
@Suite(.timeLimit(.minutes(2))) struct DockerCredentialTests {
  private func fixture(signedIn: Bool = true) async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture { provider in
      KeyrackFixture.oauth(provider) + """
        [use docker registry.example.org]
        account=work
        [use docker https://other.example/v1/]
        account=work
        username=alice

        """
    }
    if signedIn { try await fixture.signIn() }
    return fixture
  }

  private func helper(
    _ action: String, _ input: String = "", _ fixture: KeyrackFixture
  ) async throws -> Child.Result {
    try await fixture.daemon.keyrack("docker-credential", action, input: input)
  }

  @Test(arguments: [
    ("registry.example.org", "oauth2"), ("registry.example.org\n", "oauth2"),
    ("https://registry.example.org/v2/\n", "oauth2"), ("registry.example.org/team/image", "oauth2"),
    ("https://other.example/v1/", "alice"),
  ])
  func aRegistryThatIsServedGetsAToken(_ server: String, _ user: String) async throws {
    let fixture = try await fixture()
    let run = try await helper("get", server, fixture)
    let name = server.trimmingCharacters(in: .newlines)
    let token = try await fixture.token()
    #expect(run.output == #"{"ServerURL":"\#(name)","Username":"\#(user)","Secret":"\#(token)"}"# + "\n")
    #expect(run.status == 0 && run.error.isEmpty)
  }

  @Test(arguments: [
    "elsewhere.example", "registry.example.org:5000", "http://registry.example.org", "https://other.example",
  ])
  func anotherIsNotFound(_ server: String) async throws {
    let run = try await helper("get", server, fixture())
    #expect(run.status == 1)
    #expect(run.output == "credentials not found in native keychain\n")
    #expect(run.error.isEmpty)
  }

  @Test func allThatAreServedAreListed() async throws {
    let run = try await helper("list", "", fixture())
    #expect(run.status == 0)
    #expect(run.output == #"{"registry.example.org":"oauth2","https://other.example/v1/":"alice"}"# + "\n")
  }

  @Test func nothingIsKept() async throws {
    let fixture = try await fixture()
    for action in ["store", "erase"] {
      let run = try await helper(action, #"{"ServerURL":"a","Username":"b","Secret":"c"}"#, fixture)
      #expect(run.status == 1)
      #expect(
        run.output == "not implemented: keyrack keeps no passwords, sign in with: keyrack login ACCOUNT\n")
    }
    #expect(
      try await helper("version", "", fixture).output == "docker-credential-keyrack (keyrack) \(Keyrack.version)\n")
    #expect(try await helper("nonsense", "", fixture).status == 2)
  }

  /// On standard output, which podman shows; and on standard error, as docker shows nothing of the other.
  @Test func whatFailsIsSaidWhereItIsSeen() async throws {
    let fixture = try await fixture(signedIn: false)
    let run = try await helper("get", "registry.example.org", fixture)
    #expect(run.status == 3)
    #expect(run.output == "work: not signed in (keyrack login work)\n")
    #expect(run.error == "keyrack: work: not signed in\nkeyrack: hint: keyrack login work\n")
    let empty = try await helper("get", "", fixture)
    #expect(empty.status == 1)
    #expect(empty.output.hasPrefix("no credentials server URL ("))
    #expect(try await helper("get", "a\u{1}b", fixture).output.hasPrefix("no credentials server URL ("))
  }

  /// skopeo asks as podman does.
  @Test func skopeoFindsWhoIsSignedIn() async throws {
    let fixture = try await fixture()
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/docker-credential-keyrack", withDestinationPath: Products.path(of: "keyrack"))
    let helpers = ["registry.example.org", "elsewhere.example"].map { #""\#($0)":"keyrack""# }
    let file = folder.path + "/auth.json"
    try #"{"credHelpers":{\#(helpers.joined(separator: ","))}}"#.write(toFile: file, atomically: false, encoding: .utf8)
    let environment = fixture.daemon.environment.merging(["PATH": "\(folder.path):/usr/bin:/bin"]) { $1 }
    func login(_ registry: String) async throws -> Child.Result {
      try await Child.run(
        ["skopeo", "login", "--get-login", "--authfile", file, registry], environment: environment, within: .seconds(30)
      )
    }
    #expect(try await login("registry.example.org").output == "oauth2\n")
    let other = try await login("elsewhere.example")
    #expect(other.status != 0 && other.error.contains("not logged into elsewhere.example"), "\(other)")
  }
}

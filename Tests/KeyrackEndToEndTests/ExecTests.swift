import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Programs that get a token in their environment.
@Suite(.timeLimit(.minutes(1))) struct ExecTests {
  private func signedIn() async throws -> (fixture: KeyrackFixture, token: String) {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    return (fixture, try await fixture.token())
  }

  @Test func theTokenIsInTheVariableAndTheStatusIsThePrograms() async throws {
    let (fixture, token) = try await signedIn()
    let usual = try await fixture.daemon.keyrack(
      "exec", "work", "--", "sh", "-c", "printf %s \"$ACCESS_TOKEN\"; exit 42")
    #expect(usual.output == token)
    #expect(usual.status == 42 && usual.error.isEmpty)
    let named = try await fixture.daemon.keyrack(
      "exec", "work", "--env", "MY_TOKEN2", "sh", "-c", "cat; echo \"$MY_TOKEN2:${ACCESS_TOKEN-none}\"", input: "in ")
    #expect(named.output == "in \(token):none\n")
  }

  @Test func whatFollowsIsTheProgramsWordForWord() async throws {
    let (fixture, _) = try await signedIn()
    for separator in [["--"], []] {
      let command = ["exec", "work"] + separator + ["printf", "%s|", "", "--help", "--env=x", "--", "-h"]
      let result = try await Child.run(
        [Products.path(of: "keyrack")] + command, environment: fixture.daemon.environment)
      #expect(result.output == "|--help|--env=x|--|-h|")
    }
  }

  @Test func theProgramTakesThePlaceOfKeyrack() async throws {
    let (fixture, token) = try await signedIn()
    let folder = try TemporaryFolder()
    let script = "echo $$; ls /proc/self/fd | tr '\\n' ' '; ulimit -Sc; ulimit -Hc; tr '\\0' ' ' </proc/$$/cmdline"
    let child = try Child(
      [Products.path(of: "keyrack"), "exec", "work", "--", "sh", "-c", script],
      environment: fixture.daemon.environment, output: folder.path + "/out")
    #expect(try await child.wait() == 0)
    let output = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
    let usual = try await Child.run(["sh", "-c", "ulimit -Sc; ulimit -Hc"], environment: [:])
    // The fourth descriptor is what ls reads.
    #expect(output.hasPrefix("\(child.pid)\n0 1 2 3 \(usual.output)sh -c "), "\(output)")
    #expect(!output.contains(token))
  }

  @Test func aProgramThatCannotBeRunEndsAsInAShell() async throws {
    let (fixture, _) = try await signedIn()
    let missing = try await fixture.daemon.keyrack("exec", "work", "--", "no-such-program")
    #expect(missing.status == 127)
    #expect(missing.error == "keyrack: could not run no-such-program: no such file or directory\n")
    let folder = try TemporaryFolder()
    try "text".write(toFile: "\(folder.path)/text", atomically: false, encoding: .utf8)
    let refused = try await fixture.daemon.keyrack("exec", "work", "--", "\(folder.path)/text")
    #expect(refused.status == 126)
    #expect(refused.error == "keyrack: could not run \(folder.path)/text: permission denied\n")
  }

  @Test(arguments: ["exec", "curl"]) func nothingIsRunForOneWhoIsSignedOut(command: String) async throws {
    let fixture = try await KeyrackFixture()
    let result = try await fixture.daemon.keyrack(command, "work", "--", "touch", "\(fixture.session.path)/ran")
    #expect(result.status == 3)
    #expect(result.error == "keyrack: work: not signed in\nkeyrack: hint: keyrack login work\n")
    #expect(!FileManager.default.fileExists(atPath: "\(fixture.session.path)/ran"))
  }

  @Test(arguments: [
    (["exec", "work"], "exec: which account, and which program?"),
    (["exec", "work", "--env", "1A", "true"], "--env: expected a name"),
    (["exec", "work", "--env", "A-B", "true"], "--env: expected a name"),
    (["exec", "work", "--json", "true"], "--json: not an option of exec"),
    (["curl", "work"], "curl: which account, and which URL?"),
    (["curl", "", "https://a.test"], "curl: which account, and which URL?"),
  ])
  func aUsageErrorAsksNobody(arguments: [String], complaint: String) async throws {
    let run = try await CommandRun.run(arguments, socket: "/nowhere/keyrack.sock")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("keyrack: \(complaint)"), "\(run.errors)")
  }
}

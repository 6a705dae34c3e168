import KeyrackProtocol
import TestSupport
import Testing

/// The examples that are installed with the documentation.
@Suite(.timeLimit(.minutes(1))) struct ExamplesTests {
  private static func path(_ name: String) -> String { "\(Products.checkout)/examples/\(name)" }

  /// The command that runs one.
  private static func command(_ name: String, in folder: TemporaryFolder) async throws -> [String] {
    guard name == "token.c" else { return [path(name)] }
    let program = "\(folder.path)/token"
    let compiled = try await Child.run(
      ["cc", "-Wall", "-Wextra", "-Werror", "-o", program, path(name), "-ljansson"],
      environment: ["PATH": "/usr/bin:/bin"], within: .seconds(30))
    try #require(compiled.status == 0, "\(compiled.error)")
    return [program]
  }

  @Test(arguments: ["token.c", "token.py", "token.sh"])
  func anExampleGetsTheTokenOrSaysWhyNot(name: String) async throws {
    let fixture = try await KeyrackFixture()
    let folder = try TemporaryFolder()
    let command = try await Self.command(name, in: folder) + ["work"]
    let refused = try await Child.run(command, environment: fixture.daemon.environment)
    #expect(refused.status == 3 && refused.output.isEmpty)
    #expect(refused.error == "login_required: work: not signed in\n")
    try await fixture.signIn()
    let result = try await Child.run(command, environment: fixture.daemon.environment)
    #expect(try await result.output == fixture.token() + "\n", "\(result.error)")
    #expect(result.status == 0 && result.error.isEmpty)
  }
}

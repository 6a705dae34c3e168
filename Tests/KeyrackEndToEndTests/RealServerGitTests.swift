import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// The real git, over https, with tokens that a real provider is asked about.
@Suite(
  RealServers(kinds: [.django], accessLifetime: 600, overTLS: false), .serialized, .timeLimit(.minutes(3)))
struct RealServerGitTests {
  private func fixture() async throws -> GitFixture { try await GitFixture(RealServers.provider(.django)) }

  @Test func theRecipeWorks() async throws {
    let fixture = try await fixture()
    try await fixture.run(GitFixture.recipe("git.sh", fixture.server))
    #expect(try await fixture.server.subjects("team/project.git") == ["Add a note", "First"])
    let accepted = fixture.server.requests.filter { $0.contains(" accepted ") }
    #expect(accepted.filter { $0.contains("/team/") }.allSatisfy { $0.hasSuffix(" oauth2") })
    let others = accepted.filter { $0.contains("/alice/") }
    #expect(!others.isEmpty && others.allSatisfy { $0.hasSuffix(" alice") })
    #expect(!fixture.hasAsked)
    #expect(fixture.server.requests.filter { $0.contains(" refused ") } == [])
  }

  @Test func aTokenThatEndsMeanwhileIsReplacedWithoutAWord() async throws {
    let fixture = try await GitFixture(RealProvider(.django, accessLifetime: 3))
    try await fixture.clone()
    let spent = try await fixture.token()
    let end = try #require(spent.expiresAt)
    try await Task.sleep(for: .seconds(Date(timeIntervalSince1970: Double(end)).timeIntervalSinceNow))
    try await eventually("the end of the token") {
      try await !fixture.provider.accepts(accessToken: text(spent.token))
    }
    try await fixture.run(fixture.push("Later"))
    #expect(try await fixture.server.subjects("team/project.git") == ["Later", "First"])
    #expect(!fixture.hasAsked)
  }

  /// git 2.39 gives up where a server refuses what it got; the next operation works.
  @Test func aTokenThatTheServerRefusesCostsOneOperation() async throws {
    let fixture = try await fixture()
    try await fixture.clone()
    try await fixture.server.refuse(text(fixture.token().token))
    let failed = try await fixture.shell(fixture.push("After a refusal"))
    #expect(failed.status != 0 && failed.error.contains("Authentication failed"), "\(failed.error)")
    #expect(fixture.server.requests.contains { $0.contains(" refused ") })
    try await fixture.run("cd project; git push --quiet")
    #expect(try await fixture.server.subjects("team/project.git") == ["After a refusal", "First"])
    #expect(!fixture.hasAsked)
  }

  @Test func whoIsSignedOutIsToldSoAndNotAskedForAPassword() async throws {
    let fixture = try await fixture()
    try await fixture.clone()
    _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    let failed = try await fixture.shell("git -C project fetch")
    #expect(failed.status != 0)
    #expect(
      failed.error.hasPrefix("keyrack: work: not signed in\nkeyrack: hint: keyrack login work\nfatal: "),
      "\(failed.error)")
    #expect(failed.error.components(separatedBy: "\n").count == 4, "\(failed.error)")
    #expect(!fixture.hasAsked)
  }

  @Test func theNextHelperIsAskedForOtherPlaces() async throws {
    let fixture = try await fixture()
    let filled = try await fixture.shell(
      """
      echo 'https://carol:secret@elsewhere.example' >~/.git-credentials
      git config --global --add credential.helper keyrack
      git config --global --add credential.helper store
      printf 'protocol=https\\nhost=elsewhere.example\\n\\n' | git credential fill
      printf 'url=\(fixture.server.url)\\n\\n' | git credential fill
      """)
    #expect(filled.status == 0 && filled.error.isEmpty, "\(filled.error)")
    #expect(filled.output.contains("host=elsewhere.example\nusername=carol\npassword=secret\n"))
    #expect(filled.output.hasSuffix("\nusername=oauth2\npassword=\(try await text(fixture.token().token))\n"))
  }

  @Test func neitherArgumentsNorEnvironmentNorFilesHoldTheToken() async throws {
    let fixture = try await fixture()
    try await fixture.clone()
    let trace = fixture.session.path + "/trace"
    let tracer = ["strace", "-f", "-y", "-v", "-s", "65536", "-e", "trace=execve,write,pwrite64,writev", "-o", trace]
    let result = try await fixture.shell(fixture.push("Traced"), by: tracer)
    #expect(result.status == 0, "\(result.error)")
    let token = try await text(fixture.token().token)
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0.contains("execve(") && $0.contains("git-credential-keyrack") })
    let holding = lines.filter { $0.contains(token) }
    #expect(holding.contains { $0.contains("<pipe:") })
    #expect(holding.allSatisfy { $0.contains("write(") && ($0.contains("<pipe:") || $0.contains("<socket:")) })
    let found = try await Child.run(
      ["grep", "-rlF", token, fixture.session.path + "/home", fixture.session.path + "/project-folder"],
      environment: fixture.environment)
    #expect(found.output.isEmpty)
    #expect(!fixture.daemon.said.contains(token))
  }
}

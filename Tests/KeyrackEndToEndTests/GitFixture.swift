import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// A person's git, with a daemon whose accounts `work` and `private` are at a real provider, and a git server that takes the
/// provider's tokens. The configuration is that of the recipe.
struct GitFixture {
  let session: PrivateSession
  let provider: RealProvider
  let server: GitServer
  let daemon: KeyrackDaemon
  let environment: [String: String]

  init(_ provider: RealProvider) async throws {
    self.provider = provider
    session = try await PrivateSession()
    server = try await GitServer(of: provider)
    daemon = try await KeyrackDaemon(
      in: session,
      configuration: provider.configuration("corp")
        + "[account work]\nprovider=corp\n[account private]\nprovider=corp\n"
        + Self.recipe("git.conf", server))
    let programs = session.path + "/bin"
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: programs + "/git-credential-keyrack", withDestinationPath: Products.path(of: "keyrack"))
    // It would be asked before the terminal.
    let askpass = programs + "/askpass"
    try "#!/bin/sh\necho asked >>\(session.path)/asked\n".write(toFile: askpass, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: askpass)
    environment = daemon.environment.merging([
      "PATH": "\(programs):/usr/bin:/bin", "GIT_SSL_CAINFO": server.caFile, "GIT_CONFIG_NOSYSTEM": "1",
      "GIT_ASKPASS": askpass, "GIT_AUTHOR_NAME": "Alice", "GIT_AUTHOR_EMAIL": "alice@example.org",
      "GIT_COMMITTER_NAME": "Alice", "GIT_COMMITTER_EMAIL": "alice@example.org",
    ]) { $1 }
    for path in ["team/project.git", "alice/dots.git"] { try await server.addRepository(path) }
    for account in ["work", "private"] {
      _ = try await daemon.call(
        LoginOperation(account: account, username: "alice", password: Secret(RealProvider.password)))
    }
  }

  /// A recipe, its host played by the server.
  static func recipe(_ name: String, _ server: GitServer) throws -> String {
    let text = try String(contentsOfFile: Products.checkout + "/Tests/recipes/" + name, encoding: .utf8)
    let host = server.url.dropFirst("https://".count)
    return text.replacing("https://git.example.org", with: server.url)
      .replacing("@git.example.org", with: "@\(host)")
  }

  /// Runs lines of a shell in an empty folder at first, until one fails.
  func shell(_ script: String, by tracer: [String] = []) async throws -> Child.Result {
    let folder = session.path + "/project-folder"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try await Child.run(
      tracer + ["/bin/sh", "-ec", "cd \(folder)\n\(script)"], environment: environment, within: .seconds(60))
  }

  func run(_ script: String) async throws {
    let result = try await shell(script)
    #expect(result.status == 0, "\(script): \(result.error)")
  }

  /// With the helper configured, and the project there.
  func clone() async throws {
    try await run(
      """
      git config --global credential.\(server.url).helper keyrack
      git clone --quiet \(server.url)/team/project.git
      """)
  }

  func push(_ subject: String) -> String {
    "cd project; git commit --quiet --allow-empty --message '\(subject)'; git push --quiet"
  }

  /// Whether git has asked the person for anything.
  var hasAsked: Bool { FileManager.default.fileExists(atPath: session.path + "/asked") }

  func token(_ account: String = "work") async throws -> TokenOperation.Reply {
    try await daemon.call(TokenOperation(account: account, minimumValidity: 0))
  }
}

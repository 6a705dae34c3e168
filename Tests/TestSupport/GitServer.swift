import Foundation

/// A git server on 127.0.0.1, over https, that takes the access tokens of a provider: `Tests/servers/git.sh`.
package final class GitServer: Sendable {
  package let url: String
  /// The authority of its certificate.
  package let caFile: String
  private let folder: TemporaryFolder
  private let process: Child

  package init(of provider: RealProvider) async throws {
    folder = try TemporaryFolder()
    let port = try LoopbackPort.free()
    url = "https://127.0.0.1:\(port)"
    caFile = "\(folder.path)/ca.pem"
    let scripts = Products.checkout + "/Tests/servers"
    _ = try await Self.run(["\(scripts)/certificate.sh", folder.path])
    let log = "\(folder.path)/log"
    let process = try Child(
      ["\(scripts)/git.sh", folder.path, "\(port)", provider.introspection, RealProvider.resourceServer],
      environment: Self.environment, output: log, error: log)
    self.process = process
    try await eventually("the git server to answer", within: .seconds(20)) {
      guard process.exitStatus == nil else {
        throw Child.Failure(description: "git.sh ended: \((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
      }
      return try LoopbackPort.isListening(port)
    }
  }

  // Before its folder goes.
  deinit { process.end() }

  private static let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]

  /// A repository with a commit in it.
  package func addRepository(_ path: String) async throws {
    let repository = "\(folder.path)/repositories/\(path)"
    _ = try await Self.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", repository])
    let tree = try await Self.run(["git", "-C", repository, "mktree"])
    let author = ["git", "-C", repository, "-c", "user.name=x", "-c", "user.email=x@example.org"]
    let commit = try await Self.run(author + ["commit-tree", "-m", "First", tree])
    _ = try await Self.run(["git", "-C", repository, "update-ref", "refs/heads/main", commit])
  }

  /// The subjects of the commits that it has, the last one first.
  package func subjects(_ path: String) async throws -> [String] {
    let repository = "\(folder.path)/repositories/\(path)"
    return try await Self.run(["git", "-C", repository, "log", "--format=%s", "main"]).components(separatedBy: "\n")
  }

  /// Takes a token no more that its provider takes.
  package func refuse(_ token: String) async throws {
    let digest = try await Child.run(["sha256sum"], environment: Self.environment, input: token).output
    try String(digest.prefix { $0 != " " }).write(toFile: "\(folder.path)/refused", atomically: true, encoding: .utf8)
  }

  /// What it has answered so far: a line each, "GET /path refused alice".
  package var requests: [String] {
    let text = (try? String(contentsOfFile: "\(folder.path)/requests", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private static func run(_ command: [String]) async throws -> String {
    let result = try await Child.run(command, environment: environment, within: .seconds(20))
    guard result.status == 0 else { throw Child.Failure(description: "\(command): \(result.error)") }
    return result.output.trimmingCharacters(in: .newlines)
  }
}

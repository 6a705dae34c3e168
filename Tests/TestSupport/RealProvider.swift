import Foundation
import Glibc

/// A real OAuth 2.0 server on 127.0.0.1, with a database of its own; both go with this object. It has the user alice and
/// the public client `keyrack-test`. Its scripts are in `Tests/servers`.
package final class RealProvider: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Takes a refresh token once, and answers a dead one with 400 and nothing else.
    case glewlwyd
    /// Takes a refresh token once, and ends the session where it comes again.
    case django
    /// Takes a spent refresh token for ``grace`` more, and answers it as the first time.
    case djangoWithGrace
  }

  /// Longer than a test takes on a slow machine.
  package static let grace = Duration.seconds(60)
  package static let password = "alice-password"

  package let kind: Kind
  private let port: UInt16
  private let folder: TemporaryFolder
  private let process: Child

  /// Starts it and waits until it serves.
  /// - Parameter accessLifetime: of access tokens, in seconds.
  package init(_ kind: Kind, accessLifetime: Int) async throws {
    self.kind = kind
    folder = try TemporaryFolder()
    port = try LoopbackPort.free()
    let log = "\(folder.path)/log"
    process = try Child(
      kind.command(folder.path, port, accessLifetime), environment: Self.environment, output: log, error: log)
    try await eventually("\(kind) to answer", within: .seconds(30)) {
      guard process.exitStatus == nil else {
        throw Child.Failure(description: "\(kind) ended; make test-servers installs it: \(said)")
      }
      return (try? await LoopbackHTTP.send("GET", "/", port: port)) != nil
    }
    if kind == .glewlwyd { _ = try await glewlwyd("seed", url(""), "\(accessLifetime)") }
  }

  // Before its folder goes.
  deinit { process.end() }

  private static let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]

  // MARK: As a person and a thief have it

  /// Signs alice in by the server's own means. Returns the refresh token.
  package func signIn() async throws -> String {
    if kind == .glewlwyd { return try await glewlwyd("sign-in", url("")).trimmingCharacters(in: .newlines) }
    let answer = try await postForm([
      "grant_type": "password", "username": "alice", "password": Self.password, "scope": "mail",
    ])
    struct Tokens: Decodable { let refreshToken: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Tokens.self, from: Data(answer.body.utf8)).refreshToken
  }

  /// Whether it takes a refresh token, which is then spent.
  package func accepts(refreshToken: String) async throws -> Bool {
    try await postForm(["grant_type": "refresh_token", "refresh_token": refreshToken]).status == 200
  }

  package func accepts(accessToken: String) async throws -> Bool {
    let path = kind == .glewlwyd ? "/api/oidc/userinfo" : "/api"
    let headers = ["Authorization": "Bearer \(accessToken)"]
    return try await LoopbackHTTP.send("GET", path, port: port, headers: headers).status == 200
  }

  /// How often django has given tokens, whether or not anybody was there to take them.
  package var grants: Int { said.components(separatedBy: "granted").count - 1 }

  /// How many refresh tokens glewlwyd has refused.
  package var refusals: Int { said.components(separatedBy: "Token invalid").count - 1 }

  // MARK: Slowed down

  /// Has it answer nothing until ``release()``. What is sent waits for it in the kernel.
  package func hold() { process.send(SIGSTOP) }
  package func release() { process.send(SIGCONT) }

  /// Whether something was sent to it that it has not read.
  package func hasRequestWaiting() throws -> Bool { try LoopbackPort.hasUnread(port) }

  // MARK: As Keyrack has it

  /// The group of this name in Keyrack's configuration.
  package func configuration(_ name: String) -> String {
    """
    [provider \(name)]
    client_id=keyrack-test
    token_endpoint=\(url(tokenPath))
    revocation_endpoint=\(url(kind == .glewlwyd ? "/api/oidc/revoke" : "/o/revoke_token/"))
    password_grant=\(kind != .glewlwyd)

    """
  }

  private var tokenPath: String { kind == .glewlwyd ? "/api/oidc/token" : "/o/token/" }
  private var said: String { (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? "" }
  private func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  private func postForm(_ form: [String: String]) async throws -> LoopbackHTTP.Answer {
    let fields = form.merging(["client_id": "keyrack-test"]) { $1 }
    return try await LoopbackHTTP.send(
      "POST", tokenPath, port: port, headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: fields.map { "\($0)=\(LoopbackHTTP.escape($1))" }.joined(separator: "&"))
  }

  private func glewlwyd(_ arguments: String...) async throws -> String {
    let command = [Kind.script("glewlwyd.py")] + arguments
    let result = try await Child.run(command, environment: Self.environment, within: .seconds(30))
    guard result.status == 0 else { throw Child.Failure(description: "\(command): \(result.error)\(said)") }
    return result.output
  }
}

extension RealProvider.Kind {
  fileprivate func command(_ folder: String, _ port: UInt16, _ accessLifetime: Int) -> [String] {
    if self == .glewlwyd { return [Self.script("glewlwyd.sh"), folder, "\(port)"] }
    let grace = self == .djangoWithGrace ? RealProvider.grace.components.seconds : 0
    return [
      Products.checkout + "/.build/dot-venv/bin/python", Self.script("dot.py"), folder, "\(port)", "\(accessLifetime)",
      "\(grace)",
    ]
  }

  fileprivate static func script(_ name: String) -> String { Products.checkout + "/Tests/servers/" + name }
}

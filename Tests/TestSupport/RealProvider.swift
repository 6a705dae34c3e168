import Foundation
import Glibc

/// A real OAuth 2.0 server on 127.0.0.1, with a database of its own; both go with this object. It has the user alice and
/// the public client `keyrack-test`; whom and what it has besides is in its scripts, in `Tests/servers`.
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
  /// The client of django that may ask about tokens, and its secret.
  package static let resourceServer = "resource:resource-secret"

  package let kind: Kind
  /// The only one that glewlwyd sends a browser back to, as `http://127.0.0.1:PORT/callback/` and `glewlwyd` or `strict`.
  package let redirectPort: UInt16
  /// The authority of its certificate, where it speaks https.
  package let caFile: String?
  private let port: UInt16
  private let folder: TemporaryFolder
  private let process: Child

  /// Starts it and waits until it serves.
  /// - Parameter accessLifetime: of access tokens, in seconds.
  package init(_ kind: Kind, accessLifetime: Int, overTLS: Bool = false) async throws {
    self.kind = kind
    folder = try TemporaryFolder()
    port = try LoopbackPort.free()
    redirectPort = try LoopbackPort.free()
    caFile = overTLS ? "\(folder.path)/ca.pem" : nil
    if overTLS { _ = try await Self.run("certificate.sh", [folder.path]) }
    let log = "\(folder.path)/log"
    process = try Child(
      kind.command(folder.path, port, accessLifetime), environment: Self.environment, output: log, error: log)
    try await eventually("\(kind) to answer", within: .seconds(30)) {
      guard process.exitStatus == nil else {
        throw Child.Failure(description: "\(kind) ended; make test-servers installs it: \(said)")
      }
      return try LoopbackPort.isListening(port)
    }
    if kind == .glewlwyd {
      _ = try await Self.run(
        "glewlwyd.py", ["seed", url(""), folder.path, "\(accessLifetime)", "\(redirectPort)"])
    }
  }

  // Before its folder goes.
  deinit { process.end() }

  private static let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]

  // MARK: As a person and a thief have it

  /// Signs alice in by the server's own means. Returns the refresh token.
  package func signIn() async throws -> String {
    if kind == .glewlwyd {
      return try await Self.run("glewlwyd.py", ["sign-in", url("")]).trimmingCharacters(in: .newlines)
    }
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

  /// - Parameter issuer: of glewlwyd's two, the one that gave it.
  package func accepts(accessToken: String, issuer: String = "oidc") async throws -> Bool {
    let path = kind == .glewlwyd ? "/api/\(issuer)/userinfo" : "/api"
    if caFile != nil { return try await takes("GET", path, "--bearer", accessToken) }
    let headers = ["Authorization": "Bearer \(accessToken)"]
    return try await LoopbackHTTP.send("GET", path, port: port, headers: headers).status == 200
  }

  /// Whether it answers a request over TLS with 200.
  package func takes(_ method: String, _ path: String, _ options: String...) async throws -> Bool {
    let arguments = ["--cafile", caFile ?? ""] + options + [method, url(path)]
    return try await Self.run("fetch.py", arguments).hasPrefix("200\n")
  }

  /// How often django has given tokens, whether or not anybody was there to take them.
  package var grants: Int { said.components(separatedBy: "granted").count - 1 }

  /// How many refresh tokens glewlwyd has refused.
  package var refusals: Int { said.components(separatedBy: "Token invalid").count - 1 }

  // MARK: At a browser

  /// The command that signs in with what is asked for at the address after it.
  package func browser(as user: String = "alice", _ options: [String] = []) -> [String] {
    let authority = caFile.map { ["--cafile", $0] } ?? []
    return [Kind.script(kind == .glewlwyd ? "browser.py" : "formbrowser.py"), "--user", user] + authority + options
  }

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

  /// Where django is asked about a token.
  package var introspection: String { url("/o/introspect/") }
  private var tokenPath: String { kind == .glewlwyd ? "/api/oidc/token" : "/o/token/" }
  private var said: String { (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? "" }
  package func url(_ path: String) -> String { "\(caFile == nil ? "http" : "https")://127.0.0.1:\(port)\(path)" }

  private func postForm(_ form: [String: String]) async throws -> LoopbackHTTP.Answer {
    let fields = form.merging(["client_id": "keyrack-test"]) { $1 }
    return try await LoopbackHTTP.send(
      "POST", tokenPath, port: port, headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: fields.map { "\($0)=\(LoopbackHTTP.escape($1))" }.joined(separator: "&"))
  }

  /// What a script prints. Throws where it fails.
  private static func run(_ script: String, _ arguments: [String]) async throws -> String {
    let command = [Kind.script(script)] + arguments
    let result = try await Child.run(command, environment: Self.environment, within: .seconds(30))
    guard result.status == 0 else { throw Child.Failure(description: "\(command): \(result.error)") }
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

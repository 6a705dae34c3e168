import KeyrackClient
import KeyrackProtocol

/// `keyrack docker-credential`: a credential helper of docker, podman and skopeo. The latter two read what failed from
/// standard output.
struct DockerCredentialCommand {
  private enum Action: String, CaseIterable { case get, list, store, erase, version }

  /// Bytes of the name of a server.
  private static let longestServer = 4096
  private static let minimumValidity = 300

  private let action: Action

  init(_ invocation: Invocation) throws(CommandFailure) {
    guard let action = Action(rawValue: invocation.operands.first ?? "") else {
      let names = Action.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("docker-credential: which of \(names)?", of: .dockerCredential)
    }
    self.action = action
  }

  func run() throws -> Int32 {
    do {
      switch action {
      case .get: try get()
      case .list: try list()
      case .store, .erase:
        throw CommandFailure(
          status: 1, "not implemented: keyrack keeps no passwords, sign in with: keyrack login ACCOUNT")
      case .version: try Output.data("docker-credential-keyrack (keyrack) \(Keyrack.version)\n")
      }
      return 0
    } catch {
      let failure = CommandFailure(error)
      try Output.data((failure.message + (failure.hint.map { " (\($0))" } ?? "")).printable + "\n")
      // docker passes over that and asks the registry without a credential: only this is seen then.
      if failure.status != 1 { Output.failure(failure) }
      return failure.status
    }
  }

  private func get() throws {
    let server = try server()
    let mapping = try Call.reply(to: ResolveOperation(use: .docker, url: Secret(server))).body
    // Word for word: that is how docker tells it from a failure.
    guard let account = mapping.account else {
      throw CommandFailure(status: 1, "credentials not found in native keychain")
    }
    let request = TokenOperation(account: account, minimumValidity: Self.minimumValidity)
    let token = try Call.reply(to: request).body.token
    let credential = Credential(server: server, username: mapping.username ?? TokenUser.name, token: token)
    try Output.line(JSONObjectWriter.text(of: credential))
  }

  private func server() throws(CommandFailure) -> String {
    let line: Secret
    do { line = try StandardInput.line("server", longest: Self.longestServer) } catch {
      throw CommandFailure(status: 1, "no credentials server URL", hint: error.message)
    }
    guard !line.bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw CommandFailure(status: 1, "no credentials server URL", hint: "a control character in it")
    }
    return String(decoding: line.bytes, as: UTF8.self)
  }

  private func list() throws {
    let mappings = try Call.reply(to: ResolveOperation(use: .docker)).body.mappings ?? []
    try Output.line(JSONObjectWriter.text(of: Servers(mappings: mappings)))
  }

  private struct Credential: JSONObject {
    let server: String
    let username: String
    let token: Secret

    func write(to object: inout JSONObjectWriter) {
      object.member("ServerURL", server)
      object.member("Username", username)
      object.member("Secret", token)
    }
  }

  private struct Servers: JSONObject {
    let mappings: [ResolveOperation.Mapping]

    func write(to object: inout JSONObjectWriter) {
      for mapping in mappings { object.member(mapping.url, mapping.username ?? TokenUser.name) }
    }
  }
}

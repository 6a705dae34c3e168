import KeyrackCore

/// Reads of a group `[provider NAME]` how the client proves who it is. The secret itself is never in the file.
struct ConfigurationClientReader {
  static let keys = ["token_endpoint_auth_method", "client_secret_command", "client_key_id", "client_team_id"]

  private enum Method: String, CaseIterable {
    case none
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case privateKey = "private_key_jwt"
    case apple
  }

  let group: ConfigurationGroup

  func authentication() throws(ConfigurationError) -> ClientAuthentication {
    let method = try method()
    let authentication: ClientAuthentication
    switch method {
    case .none: authentication = .none
    case .basic: authentication = .basic
    case .post: authentication = .post
    case .privateKey: authentication = .privateKey(keyID: try group.string("client_key_id"))
    case .apple:
      authentication = .apple(
        teamID: try group.required(
          "client_team_id", hint: "client_team_id=..., ten characters, from Apple's account page"),
        keyID: try group.required(
          "client_key_id", hint: "client_key_id=..., ten characters, from the name of the .p8 file"))
    }
    try refuse("client_key_id", unless: [.privateKey, .apple], method)
    try refuse("client_team_id", unless: [.apple], method)
    return authentication
  }

  /// The method where none is named is that of RFC 6749, section 2.3.1, for whoever has a secret.
  private func method() throws(ConfigurationError) -> Method {
    let chosen = try group.choice("token_endpoint_auth_method", Method.allCases.map(\.rawValue))
    if let method = chosen.flatMap(Method.init(rawValue:)) { return method }
    return try group.string("client_secret_command") == nil ? .none : .basic
  }

  private func refuse(_ key: String, unless methods: [Method], _ method: Method) throws(ConfigurationError) {
    if methods.contains(method) { return }
    guard try group.string(key) != nil else { return }
    let names = methods.map { "token_endpoint_auth_method=\($0.rawValue)" }.joined(separator: " and ")
    throw group.failure(key, "belongs to \(names)", hint: "remove the line, or name that method")
  }

  func secretCommand(for authentication: ClientAuthentication) throws(ConfigurationError) -> String? {
    guard let command = try group.command("client_secret_command") else { return nil }
    guard authentication.needsSecret else {
      throw group.failure(
        "client_secret_command", "token_endpoint_auth_method=none has no use for a secret",
        hint: "remove one of the two lines")
    }
    return command
  }
}

import KeyrackProtocol

/// How a client proves who it is: `token_endpoint_auth_method` of a provider.
enum ClientProof: String {
  case none
  case basic = "client_secret_basic"
  case post = "client_secret_post"
  case privateKey = "private_key_jwt"
  case apple

  /// Nil, and what is unknown here, stand for none.
  init(_ method: String?) { self = method.flatMap(Self.init(rawValue:)) ?? .none }

  /// What it takes, from the person; nil where it takes nothing.
  func ask(of account: String) throws(CommandFailure) -> Secret? {
    switch self {
    case .none: nil
    case .basic, .post: try secret()
    case .privateKey, .apple: try key()
    }
  }

  private func secret() throws(CommandFailure) -> Secret {
    let terminal = try Terminal(instead: Self.alternative)
    guard let secret = try terminal.secret("client secret (not shown)") else {
      throw CommandFailure(status: 1, "no client secret was given")
    }
    return secret
  }

  /// Of several lines, so not to be typed.
  private func key() throws(CommandFailure) -> Secret {
    let path = try Terminal(instead: Self.alternative).text("file with the private key, in PEM")
    let bytes = try InputFile(path: path).contents(limit: StandardInput.longestToken)
    do { _ = try UTF8Span(validating: bytes.span) } catch {
      throw CommandFailure(status: 1, "\(path): not a key in PEM")
    }
    return Secret(bytes)
  }

  private static let alternative = "give the secret with --secret-stdin"
}

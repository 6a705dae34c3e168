import KeyrackProtocol

/// What git is told in answer to `get`.
struct GitAnswer {
  /// Without the last line feed.
  let text: [UInt8]

  init(_ token: TokenOperation.Reply, username: String?, to wanted: GitCredential) throws(CommandFailure) {
    guard !token.token.bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw CommandFailure(status: 1, "\(token.account): the token is not one line")
    }
    var lines: [[UInt8]] = []
    // It has to be asked again where the server refuses this: then another token is got in the same request.
    let mayRetry = wanted.capabilities.contains("state") && wanted.refusedDigest == nil
    if wanted.takesBearer { lines.append(Self.line("capability[]", "authtype")) }
    if mayRetry { lines.append(Self.line("capability[]", "state")) }
    if wanted.takesBearer {
      lines.append(Self.line("authtype", "Bearer"))
      lines.append(Self.line("credential", token.token))
      // No helper is to keep it.
      lines.append(Self.line("ephemeral", "1"))
    } else {
      lines.append(Self.line("username", username ?? wanted.username ?? TokenUser.name))
      lines.append(Self.line("password", token.token))
    }
    if let end = token.expiresAt { lines.append(Self.line("password_expiry_utc", "\(end)")) }
    if mayRetry {
      lines.append(Self.line("state[]", GitCredential.statePrefix + TokenDigest.text(token.token)))
      lines.append(Self.line("continue", "1"))
    }
    text = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  private static func line(_ key: String, _ value: Secret) -> [UInt8] { Array("\(key)=".utf8) + value.bytes }
  private static func line(_ key: String, _ value: String) -> [UInt8] { Array("\(key)=\(value)".utf8) }
}

/// Who has a token, where nobody says: servers that look at the token do not look at this.
enum TokenUser {
  static let name = "oauth2"
}

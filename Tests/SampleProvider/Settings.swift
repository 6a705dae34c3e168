/// How the provider behaves for as long as no script says otherwise.
struct Settings {
  /// Seconds. A fraction dies when it says, while `expires_in` is rounded up.
  var accessLifetime = 3600.0
  /// Whether each refresh makes a new refresh token, and a spent one ends its family.
  var rotation = true
  /// Whether a sign-in gives a refresh token at all.
  var givesRefreshTokens = true
  /// Whether an answer says when the access token expires.
  var tellsExpiry = true
  var users = ["alice": "wonder+land&1", "bob": "p@ss+w0rd&x"]

  /// The user that these credentials are of: `alice` and `alice@example.org` are one, and `user-N` has `password-N`.
  func user(named name: String, password: String) -> String? {
    let domain = "@example.org"
    let user = name.hasSuffix(domain) ? String(name.dropLast(domain.count)) : name
    let expected = users[user] ?? Self.numberedPassword(of: user)
    guard let expected, expected.utf8.elementsEqual(password.utf8) else { return nil }
    return user
  }

  private static func numberedPassword(of user: String) -> String? {
    guard user.hasPrefix("user-"), let number = UInt32(user.dropFirst(5)) else { return nil }
    return "password-\(number)"
  }

  /// What `POST /control/settings` takes: members that are not there stay as they are.
  struct Change: Decodable {
    let accessLifetime: Double?
    let rotation: Bool?
    let givesRefreshTokens: Bool?
    let tellsExpiry: Bool?
    let users: [String: String]?

    private enum CodingKeys: String, CodingKey {
      case accessLifetime = "access_lifetime"
      case rotation
      case givesRefreshTokens = "refresh_tokens"
      case tellsExpiry = "expires_in"
      case users
    }
  }

  mutating func apply(_ change: Change) {
    accessLifetime = change.accessLifetime ?? accessLifetime
    rotation = change.rotation ?? rotation
    givesRefreshTokens = change.givesRefreshTokens ?? givesRefreshTokens
    tellsExpiry = change.tellsExpiry ?? tellsExpiry
    users.merge(change.users ?? [:]) { $1 }
  }
}

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
  /// Whether the person consents at `/authorize`.
  var consents = true
  /// Who that person is, and who approves devices.
  var consentingUser = "alice"
  /// `iss` in place of the true one; empty for none.
  var answeredIssuer: String?
  /// Whether `/authorize` answers by a form that the browser posts.
  var postsForm = false
  /// Whether requests have to be pushed.
  var requiresPush = false
  /// Whether clients without a secret can register.
  var takesPublicClients = true
  /// Of the clients that have one.
  var clientSecrets: [String: String] = [:]
  let scopes: Set = ["openid", "mail", "offline_access"]
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
    let consents: Bool?
    let consentingUser: String?
    let answeredIssuer: String?
    let postsForm: Bool?
    let requiresPush: Bool?
    let takesPublicClients: Bool?
    let clientSecrets: [String: String]?

    private enum CodingKeys: String, CodingKey {
      case accessLifetime = "access_lifetime"
      case rotation
      case givesRefreshTokens = "refresh_tokens"
      case tellsExpiry = "expires_in"
      case users
      case consents
      case consentingUser = "consenting_user"
      case answeredIssuer = "answered_issuer"
      case postsForm = "form_post"
      case requiresPush = "requires_push"
      case takesPublicClients = "public_clients"
      case clientSecrets = "client_secrets"
    }
  }

  mutating func apply(_ change: Change) {
    accessLifetime = change.accessLifetime ?? accessLifetime
    rotation = change.rotation ?? rotation
    givesRefreshTokens = change.givesRefreshTokens ?? givesRefreshTokens
    tellsExpiry = change.tellsExpiry ?? tellsExpiry
    consents = change.consents ?? consents
    consentingUser = change.consentingUser ?? consentingUser
    answeredIssuer = change.answeredIssuer ?? answeredIssuer
    postsForm = change.postsForm ?? postsForm
    requiresPush = change.requiresPush ?? requiresPush
    takesPublicClients = change.takesPublicClients ?? takesPublicClients
    clientSecrets.merge(change.clientSecrets ?? [:]) { $1 }
    users.merge(change.users ?? [:]) { $1 }
  }
}

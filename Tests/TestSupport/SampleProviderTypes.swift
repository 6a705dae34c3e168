extension SampleProvider {
  /// When the connection is closed in place of a whole answer.
  package enum Drop: String, Encodable, Sendable {
    case before, after
    /// In the middle of the body.
    case mid
    /// Before, and by a reset.
    case reset
  }

  /// What of the provider's behaviour changes; nil stays as it is.
  package struct Settings: Encodable, Sendable {
    /// Seconds, also below one.
    package var accessLifetime: Double?
    package var rotation: Bool?
    package var givesRefreshTokens: Bool?
    /// Whether answers have `expires_in`.
    package var tellsExpiry: Bool?
    /// Passwords by name, added to those there are.
    package var users: [String: String]?
    /// Whether the person consents at `/authorize`.
    package var consents: Bool?
    /// Who that person is, and who approves devices.
    package var consentingUser: String?
    /// `iss` in place of the true one; empty for none.
    package var answeredIssuer: String?
    /// Whether `/authorize` answers by a form that the browser posts.
    package var postsForm: Bool?
    /// Whether requests have to be pushed.
    package var requiresPush: Bool?
    /// Whether clients without a secret can register.
    package var takesPublicClients: Bool?
    /// Of the clients that have one.
    package var clientSecrets: [String: String]?

    package init(
      accessLifetime: Double? = nil, rotation: Bool? = nil, givesRefreshTokens: Bool? = nil,
      tellsExpiry: Bool? = nil, users: [String: String]? = nil,
      consents: Bool? = nil, consentingUser: String? = nil, answeredIssuer: String? = nil, postsForm: Bool? = nil,
      requiresPush: Bool? = nil, takesPublicClients: Bool? = nil, clientSecrets: [String: String]? = nil
    ) {
      self.accessLifetime = accessLifetime
      self.rotation = rotation
      self.givesRefreshTokens = givesRefreshTokens
      self.tellsExpiry = tellsExpiry
      self.users = users
      self.consents = consents
      self.consentingUser = consentingUser
      self.answeredIssuer = answeredIssuer
      self.postsForm = postsForm
      self.requiresPush = requiresPush
      self.takesPublicClients = takesPublicClients
      self.clientSecrets = clientSecrets
    }

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

  /// A request that the provider received.
  package struct LoggedRequest: Decodable, Sendable {
    package let number: Int
    package let path: String
    package let method: String
    package let query: String
    /// By lower-case name.
    package let headers: [String: String]
    package let body: String
    package let form: [String: String]?
    /// The members of a JSON body that are strings.
    package let json: [String: String]?
    package let grantType: String?
    package let user: String?
    /// The sign-in that the request's token came of.
    package let family: Int?
    /// The one that was granted.
    package let accessToken: String?
    package let outcome: Outcome
    /// Nil where the connection was dropped.
    package let status: Int?
    /// What the weather did to it.
    package let fault: String?
    package let receivedAtMilliseconds: Int
    package let isAnswered: Bool

    private enum CodingKeys: String, CodingKey {
      case number = "n"
      case path, method, query, headers, body, form, json
      case grantType = "grant_type"
      case user, family, outcome, status, fault
      case accessToken = "access_token"
      case receivedAtMilliseconds = "received_at_ms"
      case isAnswered = "answered"
    }
  }

  package enum Outcome: String, Decodable, Sendable {
    case granted, denied, revoked, malformed, pending
    /// A spent refresh token or code came back: the provider ended the family.
    case reuse
    /// A revocation of a token that was dead already.
    case nothingToRevoke = "nothing_to_revoke"
    /// Answered by a script, without any effect.
    case scripted
  }

  package struct LiveToken: Decodable, Sendable, Equatable {
    package let token: String
    package let kind: Kind
    package let family: Int
    package let user: String

    package enum Kind: String, Decodable, Sendable {
      case access, refresh
    }
  }

  /// What the person says of a device.
  package enum DeviceDecision: String, Encodable, Sendable {
    case approve, deny, expire
  }

  struct TokenFate: Decodable {
    /// Milliseconds.
    let deadFor: Int?

    private enum CodingKeys: String, CodingKey {
      case deadFor = "dead_for_ms"
    }
  }

  struct Script: Encodable, Sendable {
    let path: String
    let count: Int
    let status: Int?
    let headers: [String: String]?
    let body: String?
    let delay: Int
    let hold: Bool
    let drop: Drop?
    let afterProcessing: Bool

    private enum CodingKeys: String, CodingKey {
      case path, count, status, headers, body, hold, drop
      case delay = "delay_ms"
      case afterProcessing = "after_processing"
    }
  }
}

extension Duration {
  var milliseconds: Int { Int(self / .milliseconds(1)) }
}

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

    package init(
      accessLifetime: Double? = nil, rotation: Bool? = nil, givesRefreshTokens: Bool? = nil,
      tellsExpiry: Bool? = nil, users: [String: String]? = nil
    ) {
      self.accessLifetime = accessLifetime
      self.rotation = rotation
      self.givesRefreshTokens = givesRefreshTokens
      self.tellsExpiry = tellsExpiry
      self.users = users
    }

    private enum CodingKeys: String, CodingKey {
      case accessLifetime = "access_lifetime"
      case rotation
      case givesRefreshTokens = "refresh_tokens"
      case tellsExpiry = "expires_in"
      case users
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
    case granted, denied, revoked, malformed
    /// A spent refresh token came back: the provider ended the family.
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

package import KeyrackProtocol

/// A session as the keyring stores it. Times are Unix seconds.
package struct SessionRecord: Sendable, Equatable, Decodable, JSONObject {
  package let session: SessionID
  package let account: String
  package let provider: String
  /// Counts the refresh tokens of this session.
  package var generation: Int
  package let audience: Audience
  /// What discovery found at sign-in: the session stays with these endpoints (RFC 8414, section 6.2).
  package var endpoints: Endpoints?
  package var subject: String?
  /// When the person gave a password or the like, where the id_token of the sign-in has said so.
  package var authTime: Int?
  /// What was granted, space-separated.
  package var scope: String?
  package var refreshToken: Secret?
  /// Only where there is no refresh token: then it is all that the session has.
  package var accessToken: Secret?
  package var tokenType: String?
  /// Of `accessToken`.
  package var expiresAt: Int?
  /// The same by a clock that nobody can set: while this boot lasts, it is what counts (REFRESH R16).
  package var expiresAtBoot: BootTime?
  package let obtainedAt: Int
  package var refreshedAt: Int?
  package var refreshExpiresAt: Int?

  package init(
    session: SessionID, account: String, provider: String, generation: Int = 0, audience: Audience,
    endpoints: Endpoints? = nil, subject: String? = nil, scope: String? = nil, refreshToken: Secret? = nil,
    accessToken: Secret? = nil,
    tokenType: String? = nil, expiresAt: Int? = nil, expiresAtBoot: BootTime? = nil, obtainedAt: Int,
    refreshedAt: Int? = nil, refreshExpiresAt: Int? = nil
  ) {
    self.session = session
    self.account = account
    self.provider = provider
    self.generation = generation
    self.audience = audience
    self.endpoints = endpoints
    self.subject = subject
    self.scope = scope
    self.refreshToken = refreshToken
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresAt = expiresAt
    self.expiresAtBoot = expiresAtBoot
    self.obtainedAt = obtainedAt
    self.refreshedAt = refreshedAt
    self.refreshExpiresAt = refreshExpiresAt
  }

  /// Whether another daemon has stored it after the other one: it counts more refresh tokens, or has come first of two that
  /// count as many.
  package func isNewer(than other: SessionRecord) -> Bool {
    generation > other.generation || generation == other.generation && refreshToken != other.refreshToken
  }

  /// When the new one ends is not known from the old one.
  mutating func replaceRefreshToken(by token: Secret) {
    refreshToken = token
    refreshExpiresAt = nil
    generation += 1
  }

  /// Whether all numbers are such that one may calculate with them.
  package var isPlausible: Bool {
    let times = [obtainedAt, authTime, expiresAt, expiresAtBoot?.seconds, refreshedAt, refreshExpiresAt].compactMap {
      $0
    }
    return (times + [generation]).allSatisfy { (0...1 << 48).contains($0) }
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("session", session.description)
    object.member("account", account)
    object.member("provider", provider)
    object.member("generation", generation)
    object.member("audience", audience)
    object.member("endpoints", endpoints)
    object.member("subject", subject)
    object.member("authTime", authTime)
    object.member("scope", scope)
    object.member("refreshToken", refreshToken)
    object.member("accessToken", accessToken)
    object.member("tokenType", tokenType)
    object.member("expiresAt", expiresAt)
    object.member("expiresAtBoot", expiresAtBoot)
    object.member("obtainedAt", obtainedAt)
    object.member("refreshedAt", refreshedAt)
    object.member("refreshExpiresAt", refreshExpiresAt)
  }
}

/// 128 random bits, minted at each sign-in: what a session is, whatever its account is called.
package struct SessionID: Sendable, Hashable, Decodable, CustomStringConvertible {
  /// 32 hexadecimal digits.
  package let description: String

  /// A new one.
  package init() {
    var generator = SystemRandomNumberGenerator()
    description = (0..<2).map { _ in
      let half = String(UInt64.random(in: 0 ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - half.count) + half
    }.joined()
  }

  /// Nil unless it is 32 hexadecimal digits.
  package init?(_ text: String) {
    guard text.utf8.count == 32, text.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return nil }
    description = text
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = SessionID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a session id")
    }
    self = id
  }
}

/// A revocation that is owed to a provider: what the keyring keeps of a session that has ended.
package struct Revocation: Sendable, Equatable, Decodable, JSONObject {
  package let session: SessionID
  package let account: String
  package let provider: String
  package let audience: Audience
  /// Those of the session.
  package let endpoints: Endpoints?
  package var refreshToken: Secret?
  package var accessToken: Secret?
  /// When the session ended, Unix seconds.
  package let since: Int

  package init(
    session: SessionID, account: String, provider: String, audience: Audience, endpoints: Endpoints? = nil,
    refreshToken: Secret?, accessToken: Secret?, since: Int
  ) {
    self.session = session
    self.account = account
    self.provider = provider
    self.audience = audience
    self.endpoints = endpoints
    self.refreshToken = refreshToken
    self.accessToken = accessToken
    self.since = since
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("session", session.description)
    object.member("account", account)
    object.member("provider", provider)
    object.member("audience", audience)
    object.member("endpoints", endpoints)
    object.member("refreshToken", refreshToken)
    object.member("accessToken", accessToken)
    object.member("since", since)
  }
}

/// What came of one sign-in: a chain of refresh tokens and their access tokens.
struct TokenFamily {
  let id: Int
  let user: String
  let client: String?
  let scope: String?
  /// The newest; the ones before it are spent.
  var refreshToken: String?
  /// Nil while it is alive.
  var end: ContinuousClock.Instant?

  var isAlive: Bool { end == nil }
}

/// The tokens of one answer.
struct Grant {
  let family: TokenFamily
  let accessToken: String
  /// Nil where the client keeps the one it has, or gets none.
  let refreshToken: String?
  let expiresIn: Int?
}

/// An entry of `GET /control/tokens`.
struct LiveToken: Encodable {
  let token: String
  let kind: String
  let family: Int
  let user: String
}

/// What `POST /control/token` says of an access token.
struct TokenFate: Encodable {
  /// Milliseconds since its end, nil while it is alive.
  let deadFor: Int?

  private enum CodingKeys: String, CodingKey {
    case deadFor = "dead_for_ms"
  }
}

/// What came of one sign-in: a chain of refresh tokens and their access tokens.
struct TokenFamily {
  let id: Int
  let user: String
  let client: String?
  let scope: String?
  /// The newest; the ones before it are spent.
  var refreshToken: String?
  var isAlive = true
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

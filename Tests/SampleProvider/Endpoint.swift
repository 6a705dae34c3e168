/// The paths that are served, apart from `/control/`.
enum Endpoint: String {
  case token = "/token"
  case revoke = "/revoke"
  case login = "/login"
  case refresh = "/refresh"
  case logout = "/logout"
  case api = "/api"
  case authorize = "/authorize"
  case push = "/par"
  case deviceAuthorization = "/device_authorization"
  case metadata = "/.well-known/openid-configuration"
  case register = "/register"
  case userinfo = "/userinfo"

  var method: String {
    switch self {
    case .token, .revoke, .login, .refresh, .logout, .push, .deviceAuthorization, .register: "POST"
    case .api, .authorize, .metadata, .userinfo: "GET"
    }
  }
}

/// What became of a request, as the log has it.
enum Outcome: String, Encodable {
  case granted, denied
  /// A spent refresh token or code came back: its family is dead.
  case reuse
  /// The person has not decided yet.
  case pending
  case revoked
  /// A revocation of a token that was dead already or never given: answered 200 all the same (RFC 7009, section 2.2).
  case nothingToRevoke = "nothing_to_revoke"
  /// The request made no sense: not a form, no client, an unknown path.
  case malformed
  /// Not processed, because a script said so.
  case scripted
}

/// The answer to a request and what it did.
struct Processed {
  var response: HTTPResponse
  let outcome: Outcome
  var user: String?
  var family: Int?
  /// What was granted.
  var accessToken: String?

  init(_ grant: Grant) {
    self.init(.granted, HTTPResponse(json: TokenAnswer(grant: grant)), of: grant.family)
    accessToken = grant.accessToken
  }

  init(_ outcome: Outcome, _ response: HTTPResponse, of family: TokenFamily? = nil, user: String? = nil) {
    self.outcome = outcome
    self.response = response
    self.user = user ?? family?.user
    self.family = family?.id
  }
}

/// A token answer, of `/token` and of the JSON login alike (RFC 6749, section 5.1).
struct TokenAnswer: Encodable {
  let grant: Grant

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
    case scope
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(grant.accessToken, forKey: .accessToken)
    try container.encode("Bearer", forKey: .tokenType)
    try container.encodeIfPresent(grant.expiresIn, forKey: .expiresIn)
    try container.encodeIfPresent(grant.refreshToken, forKey: .refreshToken)
    try container.encodeIfPresent(grant.family.scope, forKey: .scope)
  }
}

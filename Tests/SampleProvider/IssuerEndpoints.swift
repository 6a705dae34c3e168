import FoundationEssentials

/// How the provider describes itself (OpenID Connect Discovery), takes clients (RFC 7591) and says who somebody is.
extension Provider {
  func answerMetadata(_ request: HTTPRequest) -> Processed {
    let issuer = request.issuer
    let metadata = Metadata(
      endpoints: Dictionary(
        uniqueKeysWithValues: Metadata.endpoints.map { ($0.key, issuer + $0.value.rawValue) }),
      issuer: issuer, scopes: settings.scopes.sorted(),
      methods: (settings.takesPublicClients ? ["none"] : []) + ["client_secret_basic", "client_secret_post"],
      requiresPush: settings.requiresPush, promisesIssuer: settings.answeredIssuer != "")
    return Processed(.granted, HTTPResponse(json: metadata))
  }

  func answerUserinfo(_ request: HTTPRequest) -> Processed {
    guard let family = request.bearerToken.flatMap(ledger.family(ofAccessToken:)) else {
      return Self.oauthError("invalid_token", .denied, status: 401)
    }
    return Processed(.granted, HTTPResponse(json: ["sub": family.user]), of: family)
  }

  mutating func answerRegister(_ request: HTTPRequest) -> Processed {
    guard var client = try? JSONDecoder().decode(Registration.self, from: Data(request.body)),
      !client.redirectURIs.isEmpty
    else { return Self.oauthError("invalid_client_metadata") }
    let id = Base64URL.random("client_")
    client.clientID = id
    if client.method != "none" {
      let secret = Base64URL.random("secret_")
      settings.clientSecrets[id] = secret
      client.clientSecret = secret
      client.clientSecretExpiresAt = 0
    }
    return Processed(.granted, HTTPResponse(status: 201, json: client))
  }
}

/// RFC 8414, section 2.
private struct Metadata: Encodable {
  static let endpoints: [String: Endpoint] = [
    "authorization_endpoint": .authorize, "token_endpoint": .token, "revocation_endpoint": .revoke,
    "device_authorization_endpoint": .deviceAuthorization, "pushed_authorization_request_endpoint": .push,
    "registration_endpoint": .register, "userinfo_endpoint": .userinfo,
  ]

  let endpoints: [String: String]
  let issuer: String
  let scopes: [String]
  let methods: [String]
  let requiresPush: Bool
  let promisesIssuer: Bool

  private enum CodingKeys: String, CodingKey {
    case issuer
    case scopes = "scopes_supported"
    case methods = "token_endpoint_auth_methods_supported"
    case grants = "grant_types_supported"
    case challenges = "code_challenge_methods_supported"
    case requiresPush = "require_pushed_authorization_requests"
    case promisesIssuer = "authorization_response_iss_parameter_supported"
  }

  func encode(to encoder: any Encoder) throws {
    try endpoints.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(issuer, forKey: .issuer)
    try container.encode(scopes, forKey: .scopes)
    try container.encode(methods, forKey: .methods)
    try container.encode(
      ["authorization_code", "refresh_token", Provider.deviceGrant], forKey: .grants)
    try container.encode(["S256"], forKey: .challenges)
    try container.encode(requiresPush, forKey: .requiresPush)
    try container.encode(promisesIssuer, forKey: .promisesIssuer)
  }
}

/// RFC 7591, sections 2 and 3.2.1.
private struct Registration: Codable {
  let redirectURIs: [String]
  let method: String
  var clientID: String?
  var clientSecret: String?
  var clientSecretExpiresAt: Int?

  private enum CodingKeys: String, CodingKey {
    case redirectURIs = "redirect_uris"
    case method = "token_endpoint_auth_method"
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case clientSecretExpiresAt = "client_secret_expires_at"
  }
}

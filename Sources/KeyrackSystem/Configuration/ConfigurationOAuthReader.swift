import KeyrackCore

/// Reads of a group `[provider NAME]` what is of OAuth alone: who the client is, and where the provider is asked.
struct ConfigurationOAuthReader {
  static let keys =
    [
      "issuer", "discovery", "client_id", "authorization_endpoint", "token_endpoint", "revocation_endpoint",
      "device_authorization_endpoint", "pushed_authorization_request_endpoint", "userinfo_endpoint", "jwks_uri",
      "registration_endpoint", "scopes", "password_grant",
    ] + ConfigurationClientReader.keys + ConfigurationRedirectReader.keys

  let group: ConfigurationGroup

  func oauth() throws(ConfigurationError) -> Provider.OAuth {
    let issuer = try group.endpoint("issuer")
    var oauth = Provider.OAuth(issuer: issuer, clientID: try clientID())
    let client = ConfigurationClientReader(group: group)
    oauth.clientAuthentication = try client.authentication()
    oauth.secretCommand = try client.secretCommand(for: oauth.clientAuthentication)
    oauth.endpoints = try endpoints()
    oauth.discovery = try discovery(issuer: issuer, tokenEndpoint: oauth.endpoints.token)
    let redirect = ConfigurationRedirectReader(group: group)
    oauth.redirectURI = try redirect.uri()
    oauth.redirectPorts = try redirect.ports(for: oauth.redirectURI).map { UInt16($0) }
    oauth.allowsPasswordGrant = try group.boolean("password_grant") ?? false
    return oauth
  }

  /// RFC 6749, appendix A.1: printable ASCII.
  private func clientID() throws(ConfigurationError) -> String {
    let value = try group.required(
      "client_id", hint: group.preset?.hint("client_id") ?? "client_id=..., as the provider gave it for this program")
    guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw group.failure(
        "client_id", "holds a character that is not printable ASCII", hint: "copy it from the provider")
    }
    return value
  }

  /// Those that may have a query, by RFC 6749, section 3, have one; a person's browser takes the others as they are.
  private func endpoints() throws(ConfigurationError) -> Endpoints {
    var endpoints = Endpoints(
      authorization: try group.endpoint("authorization_endpoint", allowsQuery: true),
      token: try group.endpoint("token_endpoint", allowsQuery: true),
      revocation: try group.endpoint("revocation_endpoint", allowsQuery: true))
    endpoints.deviceAuthorization = try group.endpoint("device_authorization_endpoint", allowsQuery: true)
    endpoints.pushedAuthorization = try group.endpoint("pushed_authorization_request_endpoint", allowsQuery: true)
    endpoints.userinfo = try group.endpoint("userinfo_endpoint", allowsQuery: true)
    endpoints.keys = try group.endpoint("jwks_uri", allowsQuery: true)
    endpoints.registration = try group.endpoint("registration_endpoint", allowsQuery: true)
    return endpoints
  }

  private func discovery(
    issuer: String?, tokenEndpoint: String?
  ) throws(ConfigurationError) -> Provider.Discovery {
    let chosen = try group.choice("discovery", ["oidc", "rfc8414", "none"])
    guard issuer != nil || tokenEndpoint != nil else {
      throw group.failure(
        "token_endpoint", "missing, and so is issuer",
        hint: "write issuer=https://..., which is asked for its endpoints, or give these one by one: "
          + "authorization_endpoint=https://... and token_endpoint=https://...")
    }
    guard let discovery = chosen.flatMap(Provider.Discovery.init(rawValue:)) else {
      return tokenEndpoint == nil ? .oidc : .none
    }
    if discovery == .none && tokenEndpoint == nil {
      throw group.failure(
        "token_endpoint", "missing, and discovery=none",
        hint: "token_endpoint=https://..., as the provider documents it")
    }
    if discovery != .none && issuer == nil {
      throw group.failure(
        "discovery", "there is no issuer to ask", hint: "write issuer=https://..., or discovery=none")
    }
    return discovery
  }
}

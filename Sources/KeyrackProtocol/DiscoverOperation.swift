/// `discover`: what an issuer says of itself (RFC 8414, OpenID Connect Discovery).
public struct DiscoverOperation: Operation {
  public static let name = OperationName.discover
  public enum CodingKeys: String, CodingKey, CaseIterable { case issuer }

  public let issuer: String

  public init(issuer: String) { self.issuer = issuer }

  /// The members of RFC 8414, section 2, under their names there.
  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public var issuer: String
    /// Which document it was: `oidc` or `rfc8414`, as `discovery=` has it.
    public var discovery: String
    public var authorizationEndpoint: String?
    public var tokenEndpoint: String?
    public var revocationEndpoint: String?
    public var deviceAuthorizationEndpoint: String?
    public var pushedAuthorizationRequestEndpoint: String?
    public var userinfoEndpoint: String?
    public var registrationEndpoint: String?
    public var jwksURI: String?
    public var scopes: [String]
    public var grantTypes: [String]
    public var tokenEndpointAuthMethods: [String]
    /// Whether it registers clients (RFC 7591).
    public var registers: Bool

    enum CodingKeys: String, CodingKey {
      case issuer, discovery
      case authorizationEndpoint = "authorization_endpoint"
      case tokenEndpoint = "token_endpoint"
      case revocationEndpoint = "revocation_endpoint"
      case deviceAuthorizationEndpoint = "device_authorization_endpoint"
      case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
      case userinfoEndpoint = "userinfo_endpoint"
      case registrationEndpoint = "registration_endpoint"
      case jwksURI = "jwks_uri"
      case scopes = "scopes_supported"
      case grantTypes = "grant_types_supported"
      case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
      case registers
    }

    public init(
      issuer: String, discovery: String, scopes: [String], grantTypes: [String], tokenEndpointAuthMethods: [String],
      registers: Bool
    ) {
      self.issuer = issuer
      self.discovery = discovery
      self.scopes = scopes
      self.grantTypes = grantTypes
      self.tokenEndpointAuthMethods = tokenEndpointAuthMethods
      self.registers = registers
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("issuer", issuer)
      object.member("discovery", discovery)
      object.member("authorization_endpoint", authorizationEndpoint)
      object.member("token_endpoint", tokenEndpoint)
      object.member("revocation_endpoint", revocationEndpoint)
      object.member("device_authorization_endpoint", deviceAuthorizationEndpoint)
      object.member("pushed_authorization_request_endpoint", pushedAuthorizationRequestEndpoint)
      object.member("userinfo_endpoint", userinfoEndpoint)
      object.member("registration_endpoint", registrationEndpoint)
      object.member("jwks_uri", jwksURI)
      object.member("scopes_supported", scopes)
      object.member("grant_types_supported", grantTypes)
      object.member("token_endpoint_auth_methods_supported", tokenEndpointAuthMethods)
      object.member("registers", registers)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("issuer", issuer)
  }
}

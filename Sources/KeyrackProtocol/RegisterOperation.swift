/// `register`: makes this program a client of an issuer (RFC 7591). A secret that comes of it goes straight into the
/// keyring.
public struct RegisterOperation: Operation {
  public static let name = OperationName.register
  public enum CodingKeys: String, CodingKey, CaseIterable {
    case issuer, name
    case redirectURI = "redirect_uri"
  }

  public let issuer: String
  /// Of the provider's group in the configuration.
  public let provider: String
  /// Where the browser is to be sent back to, as `redirect_uri=` has it. Nil: the usual place, with any port.
  public let redirectURI: String?

  public init(issuer: String, provider: String, redirectURI: String? = nil) {
    self.issuer = issuer
    self.provider = provider
    self.redirectURI = redirectURI
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    issuer = try container.decode(String.self, forKey: .issuer)
    provider = try container.decode(String.self, forKey: .name)
    redirectURI = try container.decodeIfPresent(String.self, forKey: .redirectURI)
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    /// The group to write is `[provider NAME]`.
    public let provider: String
    public let settings: [Setting]
    /// Unix seconds; nil where the registration has no end.
    public let expiresAt: Int?

    enum CodingKeys: String, CodingKey {
      case provider, settings
      case expiresAt = "expires_at"
    }

    public init(provider: String, settings: [Setting], expiresAt: Int?) {
      self.provider = provider
      self.settings = settings
      self.expiresAt = expiresAt
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("provider", provider)
      object.member("settings", settings)
      object.member("expires_at", expiresAt)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("issuer", issuer)
    object.member("name", provider)
    object.member("redirect_uri", redirectURI)
  }
}

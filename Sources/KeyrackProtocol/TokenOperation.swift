/// `token`: an access token that is good for at least `min_valid` seconds. Never opens a browser, never asks anybody.
public struct TokenOperation: Operation {
  public static let name = OperationName.token
  public static let defaultMinimumValidity = 60
  public static let defaultTimeout = 30
  /// A day. A longer `timeout` counts as this.
  public static let maximumSeconds = 86_400
  /// Bytes of a `scope`.
  public static let maximumScope = 4096

  public enum Kind: String, RequestWord { case access, id }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case account, issuer
    case minimumValidity = "min_valid"
    case rejected, scope, resource, kind, timeout
  }

  /// Either this or `issuer`.
  public private(set) var account: String?
  public private(set) var issuer: String?
  /// Seconds. Counts as at most half of the token's lifetime.
  public private(set) var minimumValidity: Int?
  /// The access token that a server refused, or `sha256:` and its digest in hexadecimal.
  public private(set) var rejected: Secret?
  /// Space-separated.
  public private(set) var scope: String?
  /// RFC 8707.
  public private(set) var resource: Resource?
  public private(set) var kind: Kind?
  /// Seconds that the request may take in all.
  public private(set) var timeout: Int?

  public init(
    account: String? = nil, issuer: String? = nil, minimumValidity: Int? = nil, rejected: Secret? = nil,
    scope: String? = nil, resource: Resource? = nil, kind: Kind? = nil, timeout: Int? = nil
  ) {
    self.account = account
    self.issuer = issuer
    self.minimumValidity = minimumValidity
    self.rejected = rejected
    self.scope = scope
    self.resource = resource
    self.kind = kind
    self.timeout = timeout
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // By what is there: to ask for each member that a request may have, and mostly has not, took a quarter of an answer.
    for key in container.allKeys {
      switch key {
      case .account: account = try container.decodeIfPresent(String.self, forKey: key)
      case .issuer: issuer = try container.decodeIfPresent(String.self, forKey: key)
      case .minimumValidity: minimumValidity = try container.decodeIfPresent(Int.self, forKey: key)
      case .rejected: rejected = try container.decodeIfPresent(Secret.self, forKey: key)
      case .scope:
        scope = try container.decodeIfPresent(String.self, forKey: key)
        guard scope?.utf8.count ?? 0 <= Self.maximumScope else {
          throw InvalidMember(CodingKeys.scope, "expected at most \(Self.maximumScope) bytes")
        }
      case .resource: resource = try container.decodeIfPresent(Resource.self, forKey: key)
      case .kind: kind = try container.decodeIfPresent(Kind.self, forKey: key)
      case .timeout: timeout = try container.decodeIfPresent(Int.self, forKey: key)
      }
    }
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let account: String
    /// `access_token` or, where that was asked for, `id_token`.
    public let token: Secret
    public let kind: Kind
    public let tokenType: String
    /// Unix seconds, nil where the token does not expire or the provider did not say.
    public let expiresAt: Int?
    /// Seconds.
    public let expiresIn: Int?
    /// Space-separated; nil where the provider never said.
    public let scope: String?
    /// Whether the token is good for as long as was asked.
    public let minimumValidityMet: Bool

    enum CodingKeys: String, CodingKey {
      case account
      case accessToken = "access_token"
      case idToken = "id_token"
      case tokenType = "token_type"
      case expiresAt = "expires_at"
      case expiresIn = "expires_in"
      case scope
      case minimumValidityMet = "min_valid_met"
    }

    public init(
      account: String, token: Secret, kind: Kind = .access, tokenType: String, expiresAt: Int?, expiresIn: Int?,
      scope: String?, minimumValidityMet: Bool
    ) {
      self.account = account
      self.token = token
      self.kind = kind
      self.tokenType = tokenType
      self.expiresAt = expiresAt
      self.expiresIn = expiresIn
      self.scope = scope
      self.minimumValidityMet = minimumValidityMet
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      account = try container.decode(String.self, forKey: .account)
      kind = container.contains(.idToken) ? .id : .access
      token = try container.decode(Secret.self, forKey: kind == .id ? .idToken : .accessToken)
      tokenType = try container.decode(String.self, forKey: .tokenType)
      expiresAt = try container.decodeIfPresent(Int.self, forKey: .expiresAt)
      expiresIn = try container.decodeIfPresent(Int.self, forKey: .expiresIn)
      scope = try container.decodeIfPresent(String.self, forKey: .scope)
      minimumValidityMet = try container.decode(Bool.self, forKey: .minimumValidityMet)
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("account", account)
      switch kind {
      case .access: object.member("access_token", token)
      case .id: object.member("id_token", token)
      }
      object.member("token_type", tokenType)
      object.member("expires_at", expiresAt)
      object.member("expires_in", expiresIn)
      object.member("scope", scope)
      object.member("min_valid_met", minimumValidityMet)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("issuer", issuer)
    object.member("min_valid", minimumValidity)
    object.member("rejected", rejected)
    object.member("scope", scope)
    if let resource { object.member("resource", resource.uris) }
    object.member("kind", kind)
    object.member("timeout", timeout)
  }
}

/// `secret`: keeps the client secret of a provider, or its private key, in the keyring.
public struct SecretOperation: Operation {
  public static let name = OperationName.secret
  public enum CodingKeys: String, CodingKey, CaseIterable { case provider, secret }

  public let provider: String
  /// Nil removes what is there.
  public let secret: Secret?

  public init(provider: String, secret: Secret?) {
    self.provider = provider
    self.secret = secret
  }

  /// What is missing removes nothing: null does.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    provider = try container.decode(String.self, forKey: .provider)
    let isRemoval = try container.contains(.secret) && container.decodeNil(forKey: .secret)
    secret = isRemoval ? nil : try container.decode(Secret.self, forKey: .secret)
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let provider: String
    /// False where it is kept no longer than the daemon runs.
    public let remembered: Bool?

    public init(provider: String, remembered: Bool? = nil) {
      self.provider = provider
      self.remembered = remembered
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("provider", provider)
      if let remembered { object.member("remembered", remembered) }
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("provider", provider)
    if let secret { object.member("secret", secret) } else { object.explicitNull("secret") }
  }
}

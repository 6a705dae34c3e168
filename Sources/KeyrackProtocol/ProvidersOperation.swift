/// `providers`: what accounts can be of, the presets that come with Keyrack included. Without secrets.
public struct ProvidersOperation: Operation {
  public static let name = OperationName.providers
  public enum CodingKeys: CodingKey, CaseIterable {}

  public init() {}

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let providers: [ProviderDescription]

    public init(providers: [ProviderDescription]) { self.providers = providers }

    public func write(to object: inout JSONObjectWriter) { object.member("providers", providers) }
  }

  public func write(to object: inout JSONObjectWriter) {}
}

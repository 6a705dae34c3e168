/// A provider, as the configuration or a preset has it.
public struct ProviderDescription: Decodable, JSONObject, Sendable, Hashable {
  public enum Origin: String, Sendable, Decodable { case preset, configuration }

  public let name: String
  public let origin: Origin
  /// `oauth` or `json`.
  public let kind: String
  public let issuer: String?
  /// How one can sign in, the usual way first.
  public let methods: [LoginOperation.Method]
  /// The keys of its group in the form in which a configuration file has them, in order. No secret is among them.
  public let settings: [Setting]
  /// The keys that have to be written beside them: `client_id`, for most.
  public let missing: [String]

  public init(
    name: String, origin: Origin, kind: String, issuer: String?, methods: [LoginOperation.Method],
    settings: [Setting], missing: [String]
  ) {
    self.name = name
    self.origin = origin
    self.kind = kind
    self.issuer = issuer
    self.methods = methods
    self.settings = settings
    self.missing = missing
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("name", name)
    object.member("origin", origin)
    object.member("kind", kind)
    object.member("issuer", issuer)
    object.member("methods", methods.map(\.rawValue))
    object.member("settings", settings)
    object.member("missing", missing)
  }
}

/// A line `key=value` of a configuration group.
public struct Setting: Decodable, JSONObject, Sendable, Hashable {
  public let key: String
  /// As the file has it, escaped.
  public let value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("key", key)
    object.member("value", value)
  }
}

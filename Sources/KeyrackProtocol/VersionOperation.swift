/// `version`: who is there. Answered whatever state the daemon is in.
public struct VersionOperation: Operation {
  public static let name = OperationName.version
  public enum CodingKeys: CodingKey, CaseIterable {}

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    /// Always `keyrackd`.
    public let name: String
    public let version: String
    /// The version of the protocol: 1.
    public let `protocol`: Int
    /// Those that this library knows: a newer daemon may have more.
    public let operations: [OperationName]

    enum CodingKeys: String, CodingKey { case name, version, `protocol`, operations }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      version = try container.decode(String.self, forKey: .version)
      `protocol` = try container.decode(Int.self, forKey: .protocol)
      operations = try container.decode([String].self, forKey: .operations).compactMap(OperationName.init)
    }

    public init(name: String, version: String, protocol: Int, operations: [OperationName]) {
      self.name = name
      self.version = version
      self.protocol = `protocol`
      self.operations = operations
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("name", name)
      object.member("version", version)
      object.member("protocol", `protocol`)
      object.member("operations", operations.map(\.rawValue))
    }
  }

  public init() {}
  public init(from decoder: any Decoder) throws {}

  public func write(to object: inout JSONObjectWriter) {}
}

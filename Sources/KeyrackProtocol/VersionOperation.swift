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
    public let operations: [OperationName]

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

/// `reload`: read the configuration again. Where it is broken, the old one stays in force and the reply says what is
/// wrong.
public struct ReloadOperation: Operation {
  public static let name = OperationName.reload
  public enum CodingKeys: CodingKey, CaseIterable {}

  /// The accounts that changed, by name.
  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let added: [String]
    public let removed: [String]
    public let changed: [String]

    public init(added: [String], removed: [String], changed: [String]) {
      self.added = added
      self.removed = removed
      self.changed = changed
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("added", added)
      object.member("removed", removed)
      object.member("changed", changed)
    }
  }

  public init() {}
  public init(from decoder: any Decoder) throws {}

  public func write(to object: inout JSONObjectWriter) {}
}

/// `reload`: read the configuration again. Where it is broken, the old one stays in force and the reply says what is
/// wrong.
public struct ReloadOperation: Operation {
  public static let name = OperationName.reload
  public enum CodingKeys: CodingKey, CaseIterable {}

  /// The accounts that changed, by name.
  public struct Reply: Codable, Sendable, Hashable {
    public let added: [String]
    public let removed: [String]
    public let changed: [String]

    public init(added: [String], removed: [String], changed: [String]) {
      self.added = added
      self.removed = removed
      self.changed = changed
    }
  }

  public init() {}
  public init(from decoder: any Decoder) throws {}
  public func encode(to encoder: any Encoder) throws {}
}

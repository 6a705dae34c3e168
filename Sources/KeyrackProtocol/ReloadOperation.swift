/// `reload`: read the configuration again. Where it is broken, the old one stays in force and the reply says what is
/// wrong.
public struct ReloadOperation: Operation {
  public static let name = OperationName.reload
  public enum CodingKeys: CodingKey, CaseIterable {}

  /// What has changed, by name.
  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let added: [String]
    public let removed: [String]
    /// Accounts, also those whose provider has changed.
    public let changed: [String]
    /// Groups `[provider NAME]` that have come, gone or changed. None from a daemon that does not tell.
    public let providers: [String]

    private enum CodingKeys: CodingKey { case added, removed, changed, providers }

    public init(added: [String], removed: [String], changed: [String], providers: [String] = []) {
      self.added = added
      self.removed = removed
      self.changed = changed
      self.providers = providers
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      added = try container.decode([String].self, forKey: .added)
      removed = try container.decode([String].self, forKey: .removed)
      changed = try container.decode([String].self, forKey: .changed)
      providers = try container.decodeIfPresent([String].self, forKey: .providers) ?? []
    }

    /// For people: what has happened to each.
    package var changes: [String] {
      added.map { "\($0): added" } + removed.map { "\($0): removed" } + changed.map { "\($0): changed" }
        + providers.map { "provider \($0): changed" }
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("added", added)
      object.member("removed", removed)
      object.member("changed", changed)
      object.member("providers", providers)
    }
  }

  public init() {}
  public init(from decoder: any Decoder) throws {}

  public func write(to object: inout JSONObjectWriter) {}
}

/// `resolve`: which account the configuration names for a place on the web, in its groups `[use …]`.
public struct ResolveOperation: Operation {
  public static let name = OperationName.resolve
  public enum CodingKeys: String, CodingKey, CaseIterable { case use, url, username }

  /// What programs are served, by the first word of those groups.
  public enum Use: String, RequestWord { case git, docker }

  public let use: Use
  /// Nil: all places are asked for. Not to be printed: people write passwords into URLs.
  public let url: Secret?
  /// Where the program knows who it is to be there.
  public let username: String?

  public init(use: Use, url: Secret? = nil, username: String? = nil) {
    self.use = use
    self.url = url
    self.username = username
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    /// Nil where there is none that the program that asks may use.
    public let account: String?
    /// Who that is there, where the configuration says.
    public let username: String?
    /// All places, for a request without a URL.
    public let mappings: [Mapping]?

    public init(account: String?, username: String?) {
      self.account = account
      self.username = username
      mappings = nil
    }

    public init(mappings: [Mapping]) {
      account = nil
      username = nil
      self.mappings = mappings
    }

    public func write(to object: inout JSONObjectWriter) {
      if let mappings { return object.member("mappings", mappings) }
      object.member("account", account)
      object.member("username", username)
    }
  }

  /// One group.
  public struct Mapping: Decodable, JSONObject, Sendable, Hashable {
    /// As it is written there.
    public let url: String
    public let account: String
    public let username: String?

    public init(url: String, account: String, username: String?) {
      self.url = url
      self.account = account
      self.username = username
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("url", url)
      object.member("account", account)
      object.member("username", username)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("use", use)
    object.member("url", url)
    object.member("username", username)
  }
}

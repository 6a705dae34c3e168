/// `logout`: end the session of an account. Answered as soon as nothing of it is left here.
public struct LogoutOperation: Operation {
  public static let name = OperationName.logout
  public enum CodingKeys: String, CodingKey, CaseIterable { case account, wait }

  public let account: String
  /// Whether to wait until the provider has been told. Default false.
  public let wait: Bool?

  public init(account: String, wait: Bool? = nil) {
    self.account = account
    self.wait = wait
  }

  /// What is left in the keyring.
  public enum Local: String, Sendable, Decodable {
    case done
    /// The keyring is out of reach; its item is ignored, and removed when the keyring can be written.
    case pending
  }

  /// What the provider knows.
  public enum Remote: String, Sendable, Decodable {
    case done, pending
    /// It has no way to be told, or there is nothing to tell it: see ``Reply/unreadable``.
    case unsupported
    /// There was no session.
    case none
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let account: String
    public let local: Local
    public let remote: Remote
    /// What was wrong with what the keyring had, where its tokens could not be read. It goes all the same.
    public let unreadable: String?

    public init(account: String, local: Local, remote: Remote, unreadable: String? = nil) {
      self.account = account
      self.local = local
      self.remote = remote
      self.unreadable = unreadable
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("account", account)
      object.member("local", local)
      object.member("remote", remote)
      if let unreadable { object.member("unreadable", unreadable) }
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("wait", wait)
  }
}

/// `subscribe`: the accounts as they are now, then an event line for each change of state until the client hangs up.
public struct SubscribeOperation: Operation {
  public static let name = OperationName.subscribe
  public enum CodingKeys: String, CodingKey, CaseIterable { case accounts }

  /// Nil: all that the program may use.
  public let accounts: [String]?

  public init(accounts: [String]? = nil) { self.accounts = accounts }

  /// Comes at once, before the first event.
  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let accounts: [AccountStatus]

    public init(accounts: [AccountStatus]) { self.accounts = accounts }

    public func write(to object: inout JSONObjectWriter) { object.member("accounts", accounts) }
  }

  public func write(to object: inout JSONObjectWriter) {
    if let accounts { object.member("accounts", accounts) }
  }
}

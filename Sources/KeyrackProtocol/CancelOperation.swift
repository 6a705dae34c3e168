/// `cancel`: end the sign-in that is pending for an account. Its `login` is answered `login_canceled`.
public struct CancelOperation: Operation {
  public static let name = OperationName.cancel
  public enum CodingKeys: String, CodingKey, CaseIterable { case account }

  public let account: String

  public init(account: String) { self.account = account }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let account: String
    /// Whether there was a sign-in to end.
    public let canceled: Bool

    public init(account: String, canceled: Bool) {
      self.account = account
      self.canceled = canceled
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("account", account)
      object.member("canceled", canceled)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
  }
}

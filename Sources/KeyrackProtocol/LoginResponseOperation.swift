/// `login_response`: what the browser ended on, for a sign-in whose browser is on another machine. How the sign-in ended
/// is told to whoever asked for it.
public struct LoginResponseOperation: Operation {
  public static let name = OperationName.loginResponse
  public enum CodingKeys: String, CodingKey, CaseIterable { case account, url }

  public let account: String
  /// With the code in it.
  public let url: Secret

  public init(account: String, url: Secret) {
    self.account = account
    self.url = url
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let account: String

    public init(account: String) { self.account = account }

    public func write(to object: inout JSONObjectWriter) {
      object.member("account", account)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("url", url)
  }
}

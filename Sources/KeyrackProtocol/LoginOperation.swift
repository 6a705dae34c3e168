/// `login`: sign in to an account. What the account had before is replaced once the sign-in has worked.
public struct LoginOperation: Operation {
  public static let name = OperationName.login

  public enum Method: String, RequestWord {
    /// A name and a password, sent to the provider once.
    case password
    /// A refresh token from elsewhere, tried at once.
    case refreshToken = "refresh_token"
    case browser, device, paste
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case account, method, username, password
    case refreshToken = "refresh_token"
    case remember, force
  }

  public let account: String
  /// Nil: the provider's own.
  public let method: Method?
  public let username: String?
  public let password: Secret?
  public let refreshToken: Secret?
  /// Whether the session is kept in the keyring. Default true.
  public let remember: Bool?
  /// Another subject than last time is meant.
  public let force: Bool?

  public init(
    account: String, method: Method? = nil, username: String? = nil, password: Secret? = nil,
    refreshToken: Secret? = nil, remember: Bool? = nil, force: Bool? = nil
  ) {
    self.account = account
    self.method = method
    self.username = username
    self.password = password
    self.refreshToken = refreshToken
    self.remember = remember
    self.force = force
  }

  /// Something that the person should know although the sign-in worked.
  public struct Warning: Decodable, JSONObject, Sendable, Hashable {
    public let code: String
    public let message: String

    public init(code: String, message: String) {
      self.code = code
      self.message = message
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("code", code)
      object.member("message", message)
    }
  }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let account: String
    /// The id of the new session.
    public let session: String
    public let subject: String?
    /// Space-separated.
    public let scope: String?
    public let remembered: Bool
    public let warnings: [Warning]

    public init(
      account: String, session: String, subject: String?, scope: String?, remembered: Bool, warnings: [Warning]
    ) {
      self.account = account
      self.session = session
      self.subject = subject
      self.scope = scope
      self.remembered = remembered
      self.warnings = warnings
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("account", account)
      object.member("session", session)
      object.member("subject", subject)
      object.member("scope", scope)
      object.member("remembered", remembered)
      object.member("warnings", warnings)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("method", method)
    object.member("username", username)
    object.member("password", password)
    object.member("refresh_token", refreshToken)
    object.member("remember", remember)
    object.member("force", force)
  }
}

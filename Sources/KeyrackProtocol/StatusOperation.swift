/// `status`: what the daemon holds, without a secret. Answered from memory.
public struct StatusOperation: Operation {
  public static let name = OperationName.status
  public enum CodingKeys: String, CodingKey, CaseIterable { case account }

  /// Nil: all of them.
  public let account: String?

  public init(account: String? = nil) { self.account = account }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let accounts: [AccountStatus]
    public let keyring: KeyringStatus
    public let outbox: [OwedRevocation]
    /// Accounts that the keyring has a session for and the configuration does not name.
    public let orphans: [String]

    public init(
      accounts: [AccountStatus], keyring: KeyringStatus, outbox: [OwedRevocation], orphans: [String]
    ) {
      self.accounts = accounts
      self.keyring = keyring
      self.outbox = outbox
      self.orphans = orphans
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("accounts", accounts)
      object.member("keyring", keyring)
      object.member("outbox", outbox)
      object.member("orphans", orphans)
    }
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
  }
}

/// The state of an account: the first of these that applies.
public enum AccountState: String, Sendable, Decodable, CaseIterable {
  case signingIn = "signing_in"
  case signedOut = "signed_out"
  case loginRequired = "login_required"
  case keyringLocked = "keyring_locked"
  case unknownOutcome = "unknown_outcome"
  case throttled, degraded, unsaved, refreshing, active
}

/// One account in a ``StatusOperation/Reply``. Times are Unix seconds, nil where unknown.
public struct AccountStatus: Decodable, JSONObject, Sendable, Hashable {
  public let account: String
  public let provider: String
  public let state: AccountState
  public let since: Int?
  /// Refines the state.
  public let reason: String?
  public let subject: String?
  /// Where the provider tells who that is.
  public let person: Person?
  public let scope: String?
  public let remembered: Bool
  /// Whether the newest refresh token is in the keyring.
  public let saved: Bool
  public let expiresAt: Int?
  public let refreshedAt: Int?
  public let nextAttemptAt: Int?
  public let refreshExpiresAt: Int?
  public let lastError: StatusError?
  public let pendingLogin: PendingLogin?

  enum CodingKeys: String, CodingKey {
    case account, provider, state, since, reason, subject, person, scope, remembered, saved
    case expiresAt = "expires_at"
    case refreshedAt = "refreshed_at"
    case nextAttemptAt = "next_attempt_at"
    case refreshExpiresAt = "refresh_expires_at"
    case lastError = "last_error"
    case pendingLogin = "pending_login"
  }

  public init(
    account: String, provider: String, state: AccountState, since: Int?, reason: String? = nil, subject: String? = nil,
    person: Person? = nil, scope: String? = nil, remembered: Bool = false, saved: Bool = false, expiresAt: Int? = nil,
    refreshedAt: Int? = nil,
    nextAttemptAt: Int? = nil, refreshExpiresAt: Int? = nil, lastError: StatusError? = nil,
    pendingLogin: PendingLogin? = nil
  ) {
    self.account = account
    self.provider = provider
    self.state = state
    self.since = since
    self.reason = reason
    self.subject = subject
    self.person = person
    self.scope = scope
    self.remembered = remembered
    self.saved = saved
    self.expiresAt = expiresAt
    self.refreshedAt = refreshedAt
    self.nextAttemptAt = nextAttemptAt
    self.refreshExpiresAt = refreshExpiresAt
    self.lastError = lastError
    self.pendingLogin = pendingLogin
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("provider", provider)
    object.member("state", state)
    object.member("since", since)
    object.member("reason", reason)
    object.member("subject", subject)
    object.member("person", person)
    object.member("scope", scope)
    object.member("remembered", remembered)
    object.member("saved", saved)
    object.member("expires_at", expiresAt)
    object.member("refreshed_at", refreshedAt)
    object.member("next_attempt_at", nextAttemptAt)
    object.member("refresh_expires_at", refreshExpiresAt)
    object.member("last_error", lastError)
    object.member("pending_login", pendingLogin)
  }
}

extension AccountStatus {
  /// The message of the last error without the account's name, which most begin with.
  package var trouble: String? {
    let prefix = "\(account): "
    return lastError.map { $0.message.hasPrefix(prefix) ? String($0.message.dropFirst(prefix.count)) : $0.message }
  }
}

/// The last thing that went wrong and has not been put right since.
public struct StatusError: Decodable, JSONObject, Sendable, Hashable {
  public let code: ErrorCode
  public let message: String
  /// For people: what to do about it.
  public let hint: String?
  public let at: Int

  public init(code: ErrorCode, message: String, hint: String? = nil, at: Int) {
    self.code = code
    self.message = message
    self.hint = hint
    self.at = at
  }

  package init(_ error: ReplyError, at: Int) {
    self.init(code: error.code, message: error.message, hint: error.hint, at: at)
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("code", code)
    object.member("message", message)
    if let hint { object.member("hint", hint) }
    object.member("at", at)
  }
}

/// A sign-in under way.
public struct PendingLogin: Decodable, JSONObject, Sendable, Hashable {
  public let method: LoginOperation.Method
  /// For the browser.
  public let url: String?
  public let verificationURI: String?
  public let userCode: String?
  /// Unix seconds.
  public let expiresAt: Int?

  enum CodingKeys: String, CodingKey {
    case method, url
    case verificationURI = "verification_uri"
    case userCode = "user_code"
    case expiresAt = "expires_at"
  }

  public init(
    method: LoginOperation.Method, url: String? = nil, verificationURI: String? = nil, userCode: String? = nil,
    expiresAt: Int?
  ) {
    self.method = method
    self.url = url
    self.verificationURI = verificationURI
    self.userCode = userCode
    self.expiresAt = expiresAt
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("method", method)
    object.member("url", url)
    object.member("verification_uri", verificationURI)
    object.member("user_code", userCode)
    object.member("expires_at", expiresAt)
  }
}

/// What is known of the keyring.
public struct KeyringStatus: Decodable, JSONObject, Sendable, Hashable {
  public enum State: String, Sendable, Decodable { case ok, locked, unavailable, error }

  public let state: State
  public let since: Int?
  public let message: String?

  public init(state: State, since: Int?, message: String?) {
    self.state = state
    self.since = since
    self.message = message
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("state", state)
    object.member("since", since)
    object.member("message", message)
  }
}

/// A revocation that the provider has not acknowledged yet.
public struct OwedRevocation: Decodable, JSONObject, Sendable, Hashable {
  public let account: String
  public let since: Int
  public let nextAttemptAt: Int?
  public let lastError: StatusError?

  enum CodingKeys: String, CodingKey {
    case account, since
    case nextAttemptAt = "next_attempt_at"
    case lastError = "last_error"
  }

  public init(account: String, since: Int, nextAttemptAt: Int?, lastError: StatusError?) {
    self.account = account
    self.since = since
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("since", since)
    object.member("next_attempt_at", nextAttemptAt)
    object.member("last_error", lastError)
  }
}

/// The codes of `error.code`. Stable: programs decide by them.
public enum ErrorCode: String, Sendable, Decodable, CaseIterable {
  // The request itself.
  case badRequest = "bad_request"
  case unknownOperation = "unknown_op"
  case lineTooLong = "line_too_long"
  // The account it names.
  case unknownAccount = "unknown_account"
  case ambiguousAccount = "ambiguous_account"
  case forbidden
  // Signing in.
  case loginRequired = "login_required"
  case loginInProgress = "login_in_progress"
  case noLoginPending = "no_login_pending"
  case loginDenied = "login_denied"
  case subjectMismatch = "subject_mismatch"
  case stateMismatch = "state_mismatch"
  case loginFailed = "login_failed"
  case loginExpired = "login_expired"
  case loginCanceled = "login_canceled"
  // The provider.
  case throttled
  case temporarilyUnavailable = "temporarily_unavailable"
  case providerError = "provider_error"
  case configError = "config_error"
  // The keyring.
  case keyringLocked = "keyring_locked"
  case keyringUnavailable = "keyring_unavailable"
  case keyringError = "keyring_error"
  // The daemon itself.
  case sessionEnded = "session_ended"
  case timeout
  case busy
  case shuttingDown = "shutting_down"
  case `internal`

  /// One that is newer than this library counts as ``internal``: the message and the hint that come with it are good.
  public init(from decoder: any Decoder) throws {
    self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .internal
  }

  /// Whether the same request may succeed later without anybody doing anything.
  public var isRetryable: Bool {
    switch self {
    case .throttled, .temporarilyUnavailable, .timeout, .busy, .shuttingDown, .keyringUnavailable, .keyringError: true
    case .badRequest, .unknownOperation, .lineTooLong, .unknownAccount, .ambiguousAccount, .forbidden, .loginRequired,
      .loginInProgress, .noLoginPending, .loginDenied, .subjectMismatch, .stateMismatch, .loginFailed, .loginExpired,
      .loginCanceled, .providerError, .configError, .keyringLocked, .sessionEnded, .internal:
      false
    }
  }

  /// The exit status of the command line for this code.
  public var exitStatus: Int32 {
    switch self {
    case .badRequest, .unknownOperation, .lineTooLong: 2
    case .loginRequired: 3
    case .temporarilyUnavailable, .throttled, .timeout, .busy, .shuttingDown: 4
    case .keyringLocked, .keyringUnavailable, .keyringError: 5
    case .forbidden: 6
    case .loginDenied: 8
    case .unknownAccount, .ambiguousAccount, .loginInProgress, .noLoginPending, .subjectMismatch, .stateMismatch,
      .loginFailed, .loginExpired, .loginCanceled, .providerError, .configError, .sessionEnded, .internal:
      1
    }
  }
}

/// The `error` of a reply.
public struct ReplyError: Error, Sendable, Decodable, JSONObject, Hashable {
  public let code: ErrorCode
  /// For people: what was wrong, and where. One line, never a secret.
  public let message: String
  /// For people: what to type or do next.
  public let hint: String?
  /// Refines the code, for programs.
  public let reason: String?
  /// Seconds after which asking again makes sense.
  public let retryAfter: Int?
  public let retryable: Bool

  enum CodingKeys: String, CodingKey {
    case code, message, hint, reason
    case retryAfter = "retry_after"
    case retryable
  }

  public init(
    _ code: ErrorCode, _ message: String, hint: String? = nil, reason: String? = nil, retryAfter: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.reason = reason
    self.retryAfter = retryAfter
    self.retryable = code.isRetryable
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("code", code)
    object.member("message", message)
    if let hint { object.member("hint", hint) }
    if let reason { object.member("reason", reason) }
    if let retryAfter { object.member("retry_after", retryAfter) }
    object.member("retryable", retryable)
  }
}

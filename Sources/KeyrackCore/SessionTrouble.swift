package import KeyrackProtocol

/// What keeps a session from being refreshed.
package struct SessionTrouble: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// Somebody has to sign in. Ends with the session, or with another refresh token for it.
    case loginRequired(LoginReason)
    case keyring
    case throttled
    case degraded
  }

  package let kind: Kind
  package let error: ReplyError
  /// Unix seconds.
  package let at: Int
  /// No request before that; nil where waiting does not help.
  package let retryAt: ContinuousClock.Instant?
  /// The same for a request that somebody waits for.
  package let awaitedRetryAt: ContinuousClock.Instant?

  package init(
    _ kind: Kind, _ error: ReplyError, at: Int, retryAt: ContinuousClock.Instant?,
    awaitedRetryAt: ContinuousClock.Instant? = nil
  ) {
    self.kind = kind
    self.error = error
    self.at = at
    self.retryAt = retryAt
    self.awaitedRetryAt = awaitedRetryAt ?? retryAt
  }

  /// Whether no refresh may begin at that time that somebody asks for. A keyring is simply asked again.
  package func blocks(at now: ContinuousClock.Instant) -> Bool {
    switch kind {
    case .loginRequired: true
    case .keyring: false
    case .throttled, .degraded: awaitedRetryAt.map { now < $0 } ?? false
    }
  }

  /// The error, where waiting helps with the seconds that are left to wait, rounded up.
  package func error(at now: ContinuousClock.Instant) -> ReplyError {
    guard error.retryable, kind != .keyring, let awaitedRetryAt, awaitedRetryAt > now else { return error }
    return error.retry(after: awaitedRetryAt - now)
  }
}

/// Why somebody has to sign in; the `reason` of `login_required`.
package enum LoginReason: String, Sendable, Equatable {
  case signedOut = "signed_out"
  case signingIn = "signing_in"
  case revoked
  case lostRotation = "lost_rotation"
  case expired
  case policy
  case config
  case noRefreshToken = "no_refresh_token"
  case noIDToken = "no_id_token"
  case scope

  func message(_ detail: String?) -> String {
    let text =
      switch self {
      case .signedOut: "not signed in"
      case .signingIn: "a sign-in is under way"
      case .revoked: "the provider no longer accepts the refresh token"
      case .lostRotation: "a refresh was interrupted, and the provider no longer accepts the refresh token"
      case .expired: "the refresh token has expired"
      case .policy: "the provider wants you to sign in again"
      case .config: "the provider in the configuration is not the one that was signed in to"
      case .noRefreshToken: "the access token has ended and there is no refresh token"
      case .noIDToken: "the provider gave no id token with the last refresh"
      case .scope: "that scope was not granted"
      }
    return detail.map { "\(text) (\($0))" } ?? text
  }
}

extension ReplyError {
  package static func loginRequired(
    _ account: String, _ reason: LoginReason, detail: String? = nil, hint advice: String? = nil
  ) -> ReplyError {
    let hint =
      switch reason {
      case .signingIn: "wait for it to end"
      case .config: "keyrack login \(account), or put the provider back in keyrack.conf"
      case .scope: "add the scope to [account \(account)] in keyrack.conf, then keyrack login \(account)"
      case .signedOut, .revoked, .lostRotation, .expired, .policy, .noRefreshToken, .noIDToken:
        "keyrack login \(account)"
      }
    return ReplyError(
      .loginRequired, "\(account): \(reason.message(detail))", hint: advice.map { "\(hint); \($0)" } ?? hint,
      reason: reason.rawValue)
  }

  /// A refresh was answered with an id_token that proves nothing, or is of somebody else.
  static func untrusted(_ account: String, _ refusal: Rejection) -> ReplyError {
    let login = "keyrack login \(account)"
    return ReplyError(
      .loginRequired, "\(account): the answer to the last refresh cannot be trusted (\(refusal.message))",
      hint: refusal.hint.map { "\(login); \($0)" } ?? login, reason: LoginReason.policy.rawValue)
  }

  package static func temporarilyUnavailable(_ account: String, _ message: String, hint: String? = nil) -> ReplyError {
    ReplyError(
      .temporarilyUnavailable, "\(account): \(message)", hint: hint ?? "keyrack check looks for the cause")
  }

  package static func providerError(_ account: String, _ message: String, hint: String? = nil) -> ReplyError {
    ReplyError(
      .providerError, "\(account): \(message)",
      hint: hint ?? "check its provider in keyrack.conf; keyrack provider show prints it")
  }

  package static func clientRefused(_ account: String, _ message: String, hint: String? = nil) -> ReplyError {
    ReplyError(
      .configError, "\(account): the provider refuses this client (\(message))",
      hint: hint ?? "check client_id of its provider in keyrack.conf, then keyrack reload")
  }

  package static func keyring(_ account: String, _ error: StoreError) -> ReplyError {
    switch error {
    case .locked:
      ReplyError(
        .keyringLocked, "\(account): the keyring is locked",
        hint: "unlock it, or keyrack login \(account) and answer its prompt")
    case .unavailable(let message):
      ReplyError(
        .keyringUnavailable, "\(account): there is no keyring (\(message))", hint: StoreError.startHint)
    case .unusable(let record): record.error(account)
    case .conflict:
      ReplyError(.keyringError, "\(account): another program changes its session at the same time", hint: "ask again")
    case .failed(let message):
      ReplyError(.keyringError, "\(account): the keyring failed (\(message))", hint: "keyrack check")
    }
  }

  /// The same with `retry_after`, rounded up to a second.
  package func retry(after wait: Duration) -> ReplyError {
    let (seconds, attoseconds) = wait.components
    return ReplyError(
      code, message, hint: hint, reason: reason, retryAfter: max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0)))
  }
}

extension StoreError {
  /// Where it fails in a way that has no name.
  static let failureHint =
    "see whether the disk with its files is full or read-only, else start it anew; then keyrack check"

  /// Where there is no Secret Service.
  static let startHint =
    "start a Secret Service such as gnome-keyring, without a desktop by keyrack-headless-keyring.service, "
    + "or set store=memory; man keyrackd tells how"
}

import KeyrackCore

/// What an error code means, whoever says it.
enum ErrorMeaning: Equatable {
  /// The password or the refresh token is no good, or the person has to do something in a browser.
  case grant(LoginReason)
  case client
  case target
  case conflict
  /// The same request will not be answered better.
  case request
  /// Not processed, to be tried again.
  case transient
  /// The provider has failed half way: what a 500 says, under a status that does not.
  case failure

  init(_ class: ProviderHabits.ErrorClass) {
    self =
      switch `class` {
      case .revoked: .grant(.revoked)
      case .policy: .grant(.policy)
      case .client: .client
      case .transient: .transient
      case .request: .request
      }
  }

  /// Of an error code: the RFCs' and OpenID's, then those of GitHub, Slack, Spring and others. Nil for one that nobody
  /// has heard of.
  static func of(_ code: String) -> ErrorMeaning? { codes[code] }

  /// Of what stands beside an error code.
  static func ofDetail(_ detail: String) -> ErrorMeaning? { details[detail] ?? codes[detail] }

  private static let codes: [String: ErrorMeaning] = [
    "invalid_grant": .grant(.revoked), "access_denied": .grant(.revoked), "bad_refresh_token": .grant(.revoked),
    "invalid_refresh_token": .grant(.revoked), "token_revoked": .grant(.revoked), "invalid_token": .grant(.revoked),

    "token_expired": .grant(.expired), "expired_token": .grant(.expired), "refresh_token_expired": .grant(.expired),

    "interaction_required": .grant(.policy), "login_required": .grant(.policy),
    "consent_required": .grant(.policy), "account_selection_required": .grant(.policy),
    "insufficient_user_authentication": .grant(.policy), "unmet_authentication_requirements": .grant(.policy),
    "mfa_required": .grant(.policy),

    "invalid_client": .client, "unauthorized_client": .client, "incorrect_client_credentials": .client,
    "invalid_client_id": .client, "bad_client_secret": .client,

    "invalid_scope": .target, "invalid_target": .target,
    "invalid_request": .conflict,
    "unsupported_grant_type": .request, "use_dpop_nonce": .request, "invalid_dpop_proof": .request,
    "redirect_uri_mismatch": .request, "unsupported_token_type": .request,

    "temporarily_unavailable": .transient, "slow_down": .transient, "ratelimited": .transient,
    "server_error": .failure, "internal_error": .failure, "fatal_error": .failure,
  ]

  /// Microsoft's (as MSAL lists them) and Google's.
  private static let details: [String: ErrorMeaning] = [
    "bad_token": .grant(.revoked), "basic_action": .grant(.policy), "additional_action": .grant(.policy),
    "message_only": .grant(.policy), "user_password_expired": .grant(.policy),
    "protection_policy_required": .grant(.policy), "device_authentication_failed": .grant(.policy),
    "invalid_rapt": .grant(.policy), "rapt_required": .grant(.policy),
  ]
}

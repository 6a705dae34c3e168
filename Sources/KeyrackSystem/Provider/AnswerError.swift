/// The error that an answer names, in any of the places where providers put it. Untrusted text.
struct AnswerError {
  /// What the error codes mean that are known; the RFCs' and, after them, the providers' own.
  enum Verdict {
    case denied
    case clientRefused
    /// The person has to do something in a browser.
    case userActionNeeded
    /// Not processed, to be tried again.
    case throttled
    /// The same request will not be answered better.
    case failed
  }

  let code: String
  let description: String?

  /// Nil for a code that nobody has heard of: then the status counts.
  var verdict: Verdict? { Self.verdicts[code] }

  init?(_ members: AnswerMembers) {
    let description = members.text(Self.descriptions)
    switch members["error"] ?? members["errors"] {
    case .text(let code) where !code.isEmpty: self.init(code: code, description: description)
    case .number(let number): self.init(code: String(describing: number), description: description)
    case .texts(let codes) where !codes.isEmpty: self.init(code: codes[0], description: description)
    case .object(let error): self.init(error)
    case .objects(let errors) where !errors.isEmpty: self.init(errors[0])
    case .text, .texts, .objects, .null, .other, nil: return nil
    }
  }

  private init(code: String, description: String?) {
    self.code = code
    self.description = description
  }

  /// Facebook's and Fitbit's way.
  private init(_ error: [String: String]) {
    let codes = ["error", "code", "type", "errorType", "status"].compactMap { error[$0] }
    self.init(
      code: codes.first { Self.verdicts[$0] != nil } ?? codes.first ?? "error",
      description: Self.descriptions.compactMap { error[$0] }.first)
  }

  /// Members that explain, with or without an error beside them.
  static let descriptions = ["error_description", "message", "error_message", "detail"]

  private static let verdicts: [String: Verdict] = [
    "invalid_grant": .denied, "access_denied": .denied, "bad_refresh_token": .denied,
    "invalid_refresh_token": .denied, "token_expired": .denied, "token_revoked": .denied,
    "expired_token": .denied,

    "invalid_client": .clientRefused, "unauthorized_client": .clientRefused,
    "incorrect_client_credentials": .clientRefused,

    "interaction_required": .userActionNeeded, "login_required": .userActionNeeded,
    "consent_required": .userActionNeeded, "account_selection_required": .userActionNeeded,
    "insufficient_user_authentication": .userActionNeeded, "mfa_required": .userActionNeeded,

    "temporarily_unavailable": .throttled, "server_error": .throttled, "slow_down": .throttled,

    "invalid_request": .failed, "unsupported_grant_type": .failed, "invalid_scope": .failed,
    "invalid_target": .failed, "use_dpop_nonce": .failed, "invalid_dpop_proof": .failed,
    "redirect_uri_mismatch": .failed, "unsupported_token_type": .failed,
  ]
}

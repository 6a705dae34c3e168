import KeyrackCore

/// What is known of Microsoft's `error_codes`.
///
/// Microsoft says that no client may depend on them. So none does: they choose the reason that a person reads and the
/// advice beside it, of an answer whose `error` or `suberror` has said that somebody must sign in.
struct MicrosoftError {
  let reason: LoginReason
  /// Stands after "keyrack login ACCOUNT".
  let hint: String

  private init(_ reason: LoginReason, _ hint: String) {
    self.reason = reason
    self.hint = hint
  }

  static let known: [Int: MicrosoftError] = [
    70043: frequency, 70044: frequency,
    70008: unused, 700082: unused,
    700084: MicrosoftError(.expired, "this client's refresh tokens last 24 hours, however much they are used"),
    50173: password, 50133: password,
    50055: MicrosoftError(.policy, "the password has expired: set a new one first"),
    50074: factor, 50076: factor, 50078: factor, 50079: factor,
    53003: MicrosoftError(.policy, "a conditional access policy of your organization has to be met"),
    65001: MicrosoftError(.policy, "you or an administrator must consent to what the client asks for"),
    70000: MicrosoftError(
      .revoked, "for a personal account the token endpoint must be that of /consumers, not of /common"),
  ]

  private static let frequency = MicrosoftError(.policy, "your organization limits how long a sign-in lasts")
  private static let unused = MicrosoftError(
    .expired, "a refresh token ends where it is not used for long, often 90 days")
  private static let password = MicrosoftError(.revoked, "the password has changed, which ends all sign-ins")
  private static let factor = MicrosoftError(.policy, "your organization asks for a second factor")
}

/// How this program proves to a token endpoint that it is the client. One method for each provider, never two and never a
/// try of several: with a wrong one a strict provider burns the code or the refresh token (RFC 6749, section 2.3).
package enum ClientAuthentication: Sendable, Equatable {
  /// A public client: its `client_id` and nothing else.
  case none
  /// `client_secret_post`: the secret in the body.
  case post
  /// `client_secret_basic`: name and secret by Basic authentication, each form-encoded before (RFC 6749, section 2.3.1).
  case basic
  /// `private_key_jwt` (RFC 7523, section 2.2): the client's secret is a private key.
  case privateKey(keyID: String?)
  /// Sign in with Apple: the secret in the body is a JWT that a private key of the team has signed.
  case apple(teamID: String, keyID: String)

  /// Whether there is a secret, or a key, that the keyring or a command has to give.
  package var needsSecret: Bool { self != .none }
}

import KeyrackCore
import Testing

/// What is sent to a provider that Keyrack knows, for the client CLIENT with the secret SECRET.
struct PresetRequests: Sendable, CustomTestStringConvertible {
  let name: String
  /// Of the account's group, besides `provider` and `client_id`.
  var keys = ""
  /// What the issuer says of itself.
  var found: Endpoints?
  /// A browser is sent there.
  let authorization: String
  /// Method and URL, `Authorization` where there is one, and the body; so all others.
  let exchange: String
  let refresh: String
  /// Nil where there is none.
  var device: String?
  var revocation: String?

  var testDescription: String { name }

  static let all = fromAppleToGitHub + fromGitLabToYandex
}

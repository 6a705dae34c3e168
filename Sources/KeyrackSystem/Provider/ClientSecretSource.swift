package import KeyrackCore
package import KeyrackProtocol

/// Where the secrets of clients, and their private keys, come from.
package protocol ClientSecretSource: Sendable {
  func secret(of provider: Provider) async -> Result<Secret, ClientSecretError>
}

/// Why the secret of a client is not to be had.
package struct ClientSecretError: Error, Sendable, Equatable {
  package enum Kind: Sendable {
    /// Nobody has given it yet.
    case missing
    /// The keyring is locked, or was not there.
    case locked
    /// The command has failed, or the keyring, or the key is no good.
    case failed
  }

  package let kind: Kind
  /// One line, for people.
  package let message: String

  package init(_ message: String, _ kind: Kind = .failed) {
    self.kind = kind
    self.message = message
  }
}

/// Signs for a client that has a private key (RFC 7523, section 2.2).
package protocol ClientAssertionSigner: Sendable {
  /// A JWT that proves to `audience` who asks.
  func assertion(
    _ kind: ClientAssertionKind, key: Secret, clientID: String, audience: String
  ) async throws(ClientSecretError) -> Secret
}

/// What a private key has to sign.
package enum ClientAssertionKind: Sendable, Equatable {
  /// `private_key_jwt`.
  case privateKey(keyID: String?)
  /// Apple's `client_secret`.
  case apple(teamID: String, keyID: String)
}

/// Checks id_tokens (OpenID Connect Core, section 3.1.3.7).
package protocol IDTokenReader: Sendable {
  func identity(
    in token: Secret, of grant: Grant, at occasion: IdentityOccasion, keys: KeySource, _ oauth: Provider.OAuth
  ) async -> Result<Identity, RequestFailure>
}

package import KeyrackCore
package import KeyrackProtocol

/// Where the secrets of clients, and their private keys, come from.
package protocol ClientSecretSource: Sendable {
  func secret(of provider: Provider) async -> Result<Secret, ClientSecretError>
}

package struct ClientSecretError: Error, Sendable, Equatable {
  /// One line, for people.
  package let message: String

  package init(_ message: String) { self.message = message }
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
  func claims(of token: Secret, nonce: String?, account: Account) async -> Result<Identity, RequestFailure>
}

import Glibc
package import KeyrackProtocol

extension ClientSigner: ClientAssertionSigner {
  package func assertion(
    _ kind: ClientAssertionKind, key: Secret, clientID: String, audience: String
  ) async throws(ClientSecretError) -> Secret {
    let assertion: ClientAssertion =
      switch kind {
      case .privateKey(let keyID): .privateKeyJWT(clientID: clientID, audience: audience, keyID: keyID)
      case .apple(let teamID, let keyID): .apple(teamID: teamID, clientID: clientID, keyID: keyID)
      }
    do throws(SigningKeyError) { return try sign(assertion, with: key, now: time(nil)) } catch {
      throw ClientSecretError("the client's private key cannot be used: \(error.message)")
    }
  }
}

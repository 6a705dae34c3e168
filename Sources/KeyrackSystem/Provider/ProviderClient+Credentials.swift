import KeyrackCore
import KeyrackProtocol

extension ProviderClient {
  /// What proves to this provider who asks. Where a secret is needed and is not there, nothing may be sent.
  func credentials(
    of provider: Provider, _ oauth: Provider.OAuth
  ) async throws(ClientSecretError) -> ClientCredentials {
    let proof: ClientCredentials.Proof
    switch oauth.clientAuthentication {
    case .none: proof = .none
    case .post: proof = .secret(try await secret(of: provider))
    case .basic: proof = .basic(try await secret(of: provider))
    case .privateKey(let keyID):
      // OpenID Connect Core, section 9: the audience should be the token endpoint, whichever endpoint is asked.
      let audience = oauth.endpoints.token ?? oauth.issuer ?? ""
      proof = .assertion(try await signed(.privateKey(keyID: keyID), oauth, provider, audience: audience))
    case .apple(let teamID, let keyID):
      let kind = ClientAssertionKind.apple(teamID: teamID, keyID: keyID)
      proof = .secret(try await signed(kind, oauth, provider, audience: "https://appleid.apple.com"))
    }
    return ClientCredentials(clientID: oauth.clientID, proof: proof)
  }

  /// Never an empty one: sent as such it is refused, and left out it would be another method.
  func secret(of provider: Provider) async throws(ClientSecretError) -> Secret {
    guard let secrets else {
      throw ClientSecretError("there is no client secret for the provider \(provider.displayName)")
    }
    let secret = try await secrets.secret(of: provider).get()
    guard !secret.isEmpty else {
      throw ClientSecretError("the client secret for the provider \(provider.displayName) is empty")
    }
    return secret
  }

  private func signed(
    _ kind: ClientAssertionKind, _ oauth: Provider.OAuth, _ provider: Provider, audience: String
  ) async throws(ClientSecretError) -> Secret {
    let key = try await secret(of: provider)
    guard let signer else { throw ClientSecretError("nothing signs for the provider \(provider.displayName)") }
    return try await signer.assertion(kind, key: key, clientID: oauth.clientID, audience: audience)
  }
}

package import KeyrackCore
import KeyrackProtocol

extension ProviderClient {
  package func identify(
    _ grant: Grant, at occasion: IdentityOccasion, account: Account
  ) async -> Result<Identity?, RequestFailure> {
    await Result { () async throws(RequestFailure) in
      let provider = account.provider
      let oauth = try oauth(provider)
      // Where the keys are not known a token proves nothing, and nobody gets it.
      if let token = grant.idToken, let url = oauth.endpoints.keys {
        let keys = KeySource(endpoint: try endpoint(url, "jwks_uri", of: provider), caFile: provider.caFile)
        return try await idTokens?.identity(in: token, of: grant, at: occasion, keys: keys, oauth).get()
      }
      guard let url = oauth.endpoints.userinfo, Self.mayAskWho(grant, account) else { return nil }
      let request = EndpointRequest(
        provider: provider, method: .get, endpoint: try endpoint(url, "userinfo endpoint", of: provider),
        authorization: .bearer(grant.accessToken), secrets: [grant.accessToken])
      return try await ask(request) { (answer) throws(RequestFailure) in Identity(subject: try answer.subject()) }
    }
  }

  /// Without that scope there is no such thing as a subject (OpenID Connect Core, section 5.3). Not every provider names
  /// it among those that it has granted.
  private static func mayAskWho(_ grant: Grant, _ account: Account) -> Bool {
    let granted = grant.scope?.split(separator: " ").contains("openid") ?? false
    return granted || account.scopes.contains("openid")
  }
}

extension EndpointAnswer {
  /// OpenID Connect Core, sections 2 and 5.3.2.
  func subject() throws(RequestFailure) -> String {
    let subject = try required("sub")
    guard subject.utf8.count <= 255, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw refusal("with a wrong sub: not at most 255 printable ASCII characters")
    }
    return subject
  }
}

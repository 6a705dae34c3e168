package import KeyrackCore
package import KeyrackProtocol

/// Identity providers, over HTTP. One request a call but where the ports say more, never repeated.
package struct ProviderClient: IdentityProvider {
  let http: HTTPClient
  let secrets: (any ClientSecretSource)?
  let signer: (any ClientAssertionSigner)?
  let idTokens: (any IDTokenReader)?

  /// What is not given is not there: a client that needs it cannot ask anything.
  package init(
    http: HTTPClient, secrets: (any ClientSecretSource)? = nil, signer: (any ClientAssertionSigner)? = nil,
    idTokens: (any IDTokenReader)? = nil
  ) {
    self.http = http
    self.secrets = secrets
    self.signer = signer
    self.idTokens = idTokens
  }

  package func signIn(username: String, password: Secret, account: Account) async -> TokenOutcome {
    let provider = account.provider
    switch provider.kind {
    case .oauth(let oauth):
      guard oauth.allowsPasswordGrant else {
        return .rejected(
          Rejection(.request, "the provider \(provider.displayName) is not configured to take a password"))
      }
      return await tokens(.signIn, from: oauth.endpoints.token, oauth, provider, sent: [password]) {
        $0.signIn(username: username, password: password, scopes: account.scopes)
      }
    case .json(let json):
      let body = RequestBody.json([(json.usernameMember, Secret(username)), (json.passwordMember, password)])
      return await outcome(
        of: TokenCall(purpose: .signIn, url: json.loginURL, body: body, secrets: [password]), provider)
    }
  }

  package func refresh(_ refreshToken: Secret, for target: TokenTarget, account: Account) async -> TokenOutcome {
    let provider = account.provider
    switch provider.kind {
    case .oauth(let oauth):
      let url = provider.habits.refreshEndpoint ?? oauth.endpoints.token
      return await tokens(.refresh, from: url, oauth, provider, sent: [refreshToken]) {
        $0.refresh(refreshToken, for: target, scopes: account.scopes)
      }
    case .json(let json):
      guard let url = json.refreshURL else {
        return .rejected(Rejection(.request, "the provider \(provider.displayName) has no refresh_url"))
      }
      let body = RequestBody.json([("refresh_token", refreshToken)])
      return await outcome(
        of: TokenCall(purpose: .refresh, url: url, body: body, secrets: [refreshToken]), provider)
    }
  }
}

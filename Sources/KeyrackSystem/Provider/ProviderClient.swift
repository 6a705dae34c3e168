package import KeyrackCore
package import KeyrackProtocol

/// Identity providers, over HTTP. One request a call (``revoke(_:provider:)`` of two tokens: one each), never repeated.
package struct ProviderClient: IdentityProvider {
  let http: HTTPClient

  package init(http: HTTPClient) { self.http = http }

  package func signIn(username: String, password: Secret, account: Account) async -> TokenOutcome {
    let provider = account.provider
    switch provider.kind {
    case .oauth(let oauth):
      guard oauth.allowsPasswordGrant else {
        return .rejected(Rejection(.request, "the provider \(provider.name) is not configured to take a password"))
      }
      let body = TokenRequest(oauth: oauth, habits: provider.habits)
        .signIn(username: username, password: password, scopes: account.scopes)
      return await tokens(.signIn, from: oauth.endpoints.token, body, sent: password, provider)
    case .json(let json):
      let body = RequestBody.json([(json.usernameMember, Secret(username)), (json.passwordMember, password)])
      return await tokens(.signIn, from: json.loginURL, body, sent: password, provider)
    }
  }

  package func refresh(_ refreshToken: Secret, for target: TokenTarget, account: Account) async -> TokenOutcome {
    let provider = account.provider
    switch provider.kind {
    case .oauth(let oauth):
      let body = TokenRequest(oauth: oauth, habits: provider.habits)
        .refresh(refreshToken, for: target, scopes: account.scopes)
      let url = provider.habits.refreshEndpoint ?? oauth.endpoints.token
      return await tokens(.refresh, from: url, body, sent: refreshToken, provider)
    case .json(let json):
      guard let url = json.refreshURL else {
        return .rejected(Rejection(.request, "the provider \(provider.name) has no refresh_url"))
      }
      let body = RequestBody.json([("refresh_token", refreshToken)])
      return await tokens(.refresh, from: url, body, sent: refreshToken, provider)
    }
  }

  private func tokens(
    _ purpose: TokenAnswer.Purpose, from url: String?, _ body: RequestBody, sent secret: Secret, _ provider: Provider
  ) async -> TokenOutcome {
    guard let url else { return .notSent("the provider \(provider.name) has no token endpoint") }
    let endpoint: Endpoint
    do { endpoint = try Endpoint(validating: url) } catch { return .notSent(Self.unusable(provider, error)) }
    let request = HTTPRequest(
      endpoint: endpoint, body: body.buffer, contentType: body.contentType, caFile: provider.caFile,
      freshConnection: true)
    let answer = TokenAnswer(
      purpose: purpose, kind: provider.kind, habits: provider.habits, name: endpoint.name, secrets: [secret])
    return switch await http.send(request, reading: { answer.outcome(of: $0) }) {
    case .success(let outcome): outcome
    case .failure(.notSent(let message)): .notSent(message)
    case .failure(.unknown(let message)): .unknown(message)
    }
  }

  static func unusable(_ provider: Provider, _ error: EndpointError) -> String {
    "an endpoint of the provider \(provider.name) is \(error.message)"
  }
}

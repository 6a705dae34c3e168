package import KeyrackCore
package import KeyrackProtocol

extension ProviderClient {
  package func authorize(
    _ wish: AuthorizationWish, account: Account
  ) async -> Result<AuthorizationRequest, RequestFailure> {
    await Result { () async throws(RequestFailure) in
      let provider = account.provider
      let oauth = try oauth(provider)
      let endpoint = try endpoint(oauth.endpoints.authorization, "authorization endpoint", of: provider)
      guard !oauth.endpoints.lacksS256 else {
        throw .refused("the provider \(provider.displayName) does not know S256, and without it a code can be stolen")
      }
      // Without them the code could not be spent: nobody should sign in for nothing.
      let credentials = try await requireCredentials(of: provider, oauth)
      let parameters = AuthorizationParameters(wish, oauth: oauth, account: account)
      guard provider.pushes(oauth) else {
        return try parameters.request(at: endpoint, saying: parameters.all, redirectURI: wish.redirectURI)
      }
      let pushed = try await push(parameters, credentials, oauth, provider)
      return try parameters.request(
        at: endpoint, saying: [("client_id", oauth.clientID), ("request_uri", pushed.uri)],
        redirectURI: wish.redirectURI, lifetime: pushed.lifetime)
    }
  }

  package func exchange(_ code: Secret, of request: AuthorizationRequest, account: Account) async -> TokenOutcome {
    let provider = account.provider
    guard case .oauth(let oauth) = provider.kind else {
      return .rejected(Rejection(.request, "the provider \(provider.displayName) does not speak OAuth"))
    }
    return await tokens(.signIn, from: oauth.endpoints.token, oauth, provider, sent: [code, request.verifier]) {
      $0.exchange(code, redirectURI: request.redirectURI, verifier: request.verifier)
    }
  }

  /// RFC 9126, section 2.
  private func push(
    _ parameters: AuthorizationParameters, _ credentials: ClientCredentials, _ oauth: Provider.OAuth,
    _ provider: Provider
  ) async throws(RequestFailure) -> PushedRequest {
    let endpoint = try endpoint(
      oauth.endpoints.pushedAuthorization, "pushed authorization request endpoint", of: provider)
    let members = parameters.all.map { ($0.name, Secret($0.value)) } + credentials.proofMembers
    let request = EndpointRequest(
      provider: provider, endpoint: endpoint, body: .form(members), authorization: credentials.authorization,
      secrets: credentials.secrets + [Secret(parameters.state)])
    return try await ask(request) { (answer) throws(RequestFailure) in
      PushedRequest(
        uri: try answer.required("request_uri"), lifetime: try answer.seconds("expires_in", in: 1...86400))
    }
  }
}

/// RFC 9126, section 2.2.
private struct PushedRequest {
  let uri: String
  let lifetime: Duration?
}

extension Provider {
  /// Whether an authorization request has to be pushed.
  fileprivate func pushes(_ oauth: Provider.OAuth) -> Bool {
    if oauth.endpoints.requiresPush { return true }
    return switch habits.pushedAuthorization {
    case .never: false
    case .offered: oauth.endpoints.pushedAuthorization != nil
    case .required: true
    }
  }
}

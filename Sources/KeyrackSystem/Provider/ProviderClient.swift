package import KeyrackCore
package import KeyrackProtocol

/// Identity providers, over HTTP. One request a call (``revoke(_:provider:)`` of two tokens: one each), never repeated.
package struct ProviderClient: IdentityProvider {
  private let http: HTTPClient

  package init(http: HTTPClient) { self.http = http }

  package func signIn(username: String, password: Secret, account: Account) async -> TokenOutcome {
    switch account.provider.kind {
    case .oauth(let oauth):
      guard oauth.allowsPasswordGrant else {
        return .rejected(
          Rejection(.request, "the provider \(account.provider.name) is not configured to take a password"))
      }
      var form = [
        ("grant_type", Secret("password")), ("username", Secret(username)), ("password", password),
        ("client_id", Secret(oauth.clientID)),
      ]
      if !account.scopes.isEmpty { form.append(("scope", Secret(account.scopes.joined(separator: " ")))) }
      return await tokens(.signIn, from: oauth.tokenEndpoint, .form(form), sent: password, account.provider)
    case .json(let json):
      let body = RequestBody.json([(json.usernameMember, Secret(username)), (json.passwordMember, password)])
      return await tokens(.signIn, from: json.loginURL, body, sent: password, account.provider)
    }
  }

  package func refresh(_ refreshToken: Secret, for target: TokenTarget, account: Account) async -> TokenOutcome {
    switch account.provider.kind {
    case .oauth(let oauth):
      var form = [
        ("grant_type", Secret("refresh_token")), ("refresh_token", refreshToken),
        ("client_id", Secret(oauth.clientID)),
      ]
      if !target.scopes.isEmpty { form.append(("scope", Secret(target.scopes.joined(separator: " ")))) }
      form += target.resources.map { ("resource", Secret($0)) }
      return await tokens(.refresh, from: oauth.tokenEndpoint, .form(form), sent: refreshToken, account.provider)
    case .json(let json):
      guard let url = json.refreshURL else {
        return .rejected(Rejection(.request, "the provider \(account.provider.name) has no refresh_url"))
      }
      let body = RequestBody.json([("refresh_token", refreshToken)])
      return await tokens(.refresh, from: url, body, sent: refreshToken, account.provider)
    }
  }

  package func revoke(_ revocation: Revocation, provider: Provider) async -> RevocationOutcome {
    switch provider.kind {
    case .oauth(let oauth): await revoke(revocation, by: oauth, provider)
    case .json(let json): await logOut(revocation, by: json, provider)
    }
  }
}

extension ProviderClient {
  private func tokens(
    _ purpose: TokenAnswer.Purpose, from url: String, _ body: RequestBody, sent secret: Secret, _ provider: Provider
  ) async -> TokenOutcome {
    let endpoint: Endpoint
    do { endpoint = try Endpoint(validating: url) } catch { return .notSent(unusable(provider, error)) }
    let request = HTTPRequest(
      endpoint: endpoint, body: body.buffer, contentType: body.contentType, caFile: provider.caFile,
      freshConnection: true)
    let answer = TokenAnswer(
      purpose: purpose, kind: provider.kind, name: endpoint.name, secrets: Self.spellings(of: [secret]))
    return switch await http.send(request, reading: { answer.outcome(of: $0) }) {
    case .success(let outcome): outcome
    case .failure(.notSent(let message)): .notSent(message)
    case .failure(.unknown(let message)): .unknown(message)
    }
  }

  /// RFC 7009. The refresh token first: with it most providers end its access tokens, too.
  private func revoke(
    _ revocation: Revocation, by oauth: Provider.OAuth, _ provider: Provider
  ) async -> RevocationOutcome {
    guard let url = oauth.revocationEndpoint else { return .unsupported }
    let tokens = [("refresh_token", revocation.refreshToken), ("access_token", revocation.accessToken)]
    for case (let hint, let token?) in tokens {
      let body = RequestBody.form([
        ("token", token), ("token_type_hint", Secret(hint)), ("client_id", Secret(oauth.clientID)),
      ])
      let outcome = await acknowledgement(from: url, body, bearer: nil, sent: [token], provider)
      guard outcome == .done else { return outcome }
    }
    return .done
  }

  private func logOut(
    _ revocation: Revocation, by json: Provider.JSONLogin, _ provider: Provider
  ) async -> RevocationOutcome {
    guard let url = json.logoutURL else { return .unsupported }
    let body = revocation.refreshToken.map { RequestBody.json([("refresh_token", $0)]) }
    let sent = [revocation.refreshToken, revocation.accessToken].compactMap { $0 }
    return await acknowledgement(from: url, body, bearer: revocation.accessToken, sent: sent, provider)
  }

  private func acknowledgement(
    from url: String, _ body: RequestBody?, bearer: Secret?, sent secrets: [Secret], _ provider: Provider
  ) async -> RevocationOutcome {
    let endpoint: Endpoint
    do { endpoint = try Endpoint(validating: url) } catch { return .refused(unusable(provider, error)) }
    let request = HTTPRequest(
      endpoint: endpoint, body: body?.buffer, contentType: body?.contentType, bearer: bearer, caFile: provider.caFile,
      freshConnection: false)
    let answer = RevocationAnswer(provesToken: bearer != nil, name: endpoint.name, secrets: Self.spellings(of: secrets))
    return switch await http.send(request, reading: { answer.outcome(of: $0) }) {
    case .success(let outcome): outcome
    case .failure(.notSent(let message)), .failure(.unknown(let message)): .failed(message)
    }
  }

  /// Secrets as they are and as a body holds them: an answer may quote its request.
  private static func spellings(of secrets: [Secret]) -> [Secret] {
    secrets.flatMap { secret in
      var quoted: [UInt8] = []
      JSONObjectWriter.append(secret.bytes.span, to: &quoted)
      return [secret, FormEncoding.escaped(secret), Secret(Array(quoted.dropFirst().dropLast()))]
    }
  }

  private func unusable(_ provider: Provider, _ error: EndpointError) -> String {
    "an endpoint of the provider \(provider.name) is \(error.message)"
  }
}

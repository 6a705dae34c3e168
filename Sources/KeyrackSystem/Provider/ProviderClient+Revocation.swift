package import KeyrackCore
import KeyrackProtocol

extension ProviderClient {
  package func revoke(_ revocation: Revocation, provider: Provider) async -> RevocationOutcome {
    guard provider.supportsRevocation else { return .unsupported }
    switch provider.kind {
    case .json(let json): return await logOut(revocation, by: json, provider)
    case .oauth(let oauth):
      switch provider.habits.revocation {
      case .none: return .unsupported
      case .endpoint: return await revoke(revocation, by: oauth, provider)
      case .github: return await delete(revocation, by: oauth, provider)
      }
    }
  }

  /// RFC 7009. The refresh token first: with it most providers end its access tokens, which then need no request.
  private func revoke(
    _ revocation: Revocation, by oauth: Provider.OAuth, _ provider: Provider
  ) async -> RevocationOutcome {
    let isDone = revocation.refreshToken != nil && provider.habits.revocationCascades
    let tokens = [
      ("refresh_token", revocation.refreshToken), ("access_token", isDone ? nil : revocation.accessToken),
    ]
    for case (let hint, let token?) in tokens {
      let credentials: ClientCredentials
      do { credentials = try await self.credentials(of: provider, oauth) } catch { return .failed(error.message) }
      let call = RevocationCall(
        url: oauth.endpoints.revocation,
        body: .form([("token", token), ("token_type_hint", Secret(hint))] + credentials.members),
        authorization: credentials.authorization, secrets: [token] + credentials.secrets)
      let outcome = await acknowledgement(of: call, provider)
      guard outcome == .done else { return outcome }
    }
    return .done
  }

  /// GitHub's own way: the client, by name and secret, deletes an access token.
  private func delete(
    _ revocation: Revocation, by oauth: Provider.OAuth, _ provider: Provider
  ) async -> RevocationOutcome {
    guard let token = revocation.accessToken, oauth.clientAuthentication.needsSecret else { return .unsupported }
    let secret: Secret
    do { secret = try await self.secret(of: provider) } catch { return .failed(error.message) }
    let credentials = ClientCredentials(clientID: oauth.clientID, proof: .basic(secret))
    let name = String(decoding: FormEncoding.escaped(Secret(oauth.clientID)).bytes, as: UTF8.self)
    let call = RevocationCall(
      method: .delete,
      url: oauth.endpoints.revocation ?? "https://api.github.com/applications/\(name)/token",
      body: .json([("access_token", token)]), authorization: credentials.authorization,
      unknownTokenStatuses: [404, 422], secrets: [token] + credentials.secrets)
    return await acknowledgement(of: call, provider)
  }

  private func logOut(
    _ revocation: Revocation, by json: Provider.JSONLogin, _ provider: Provider
  ) async -> RevocationOutcome {
    let call = RevocationCall(
      url: json.logoutURL, body: revocation.refreshToken.map { RequestBody.json([("refresh_token", $0)]) },
      authorization: revocation.accessToken.map { .bearer($0) }, provesToken: revocation.accessToken != nil,
      secrets: [revocation.refreshToken, revocation.accessToken].compactMap { $0 })
    return await acknowledgement(of: call, provider)
  }

  private func acknowledgement(of call: RevocationCall, _ provider: Provider) async -> RevocationOutcome {
    guard let url = call.url else { return .unsupported }
    let endpoint: Endpoint
    do { endpoint = try Endpoint(validating: url) } catch { return .refused(Self.unusable(provider, error)) }
    let request = HTTPRequest(
      call.method, endpoint: endpoint, body: call.body?.text, contentType: call.body?.contentType,
      authorization: call.authorization, caFile: provider.caFile, freshConnection: false)
    let answer = RevocationAnswer(
      provesToken: call.provesToken, unknownTokenStatuses: call.unknownTokenStatuses, name: endpoint.name,
      secrets: call.secrets)
    return switch await http.send(request, reading: { answer.outcome(of: $0) }) {
    case .success(let outcome): outcome
    case .failure(.notSent(let message)), .failure(.untrusted(let message)), .failure(.unknown(let message)),
      .failure(.invalidCertificate(let message)):
      .failed(message)
    }
  }
}

/// What a provider is told when a session has ended.
private struct RevocationCall {
  var method = HTTPRequest.Method.post
  let url: String?
  let body: RequestBody?
  let authorization: HTTPRequest.Authorization?
  /// See ``RevocationAnswer``.
  var provesToken = false
  var unknownTokenStatuses: Set<Int> = []
  let secrets: [Secret]
}

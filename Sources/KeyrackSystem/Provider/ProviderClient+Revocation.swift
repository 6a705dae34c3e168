package import KeyrackCore
import KeyrackProtocol

extension ProviderClient {
  package func revoke(_ revocation: Revocation, provider: Provider) async -> RevocationOutcome {
    switch provider.kind {
    case .oauth(let oauth): await revoke(revocation, by: oauth, provider)
    case .json(let json): await logOut(revocation, by: json, provider)
    }
  }

  /// RFC 7009. The refresh token first: with it most providers end its access tokens, which then need no request.
  private func revoke(
    _ revocation: Revocation, by oauth: Provider.OAuth, _ provider: Provider
  ) async -> RevocationOutcome {
    guard provider.supportsRevocation, let url = oauth.endpoints.revocation else { return .unsupported }
    let isDone = revocation.refreshToken != nil && provider.habits.revocationCascades
    let tokens = [
      ("refresh_token", revocation.refreshToken), ("access_token", isDone ? nil : revocation.accessToken),
    ]
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
    do { endpoint = try Endpoint(validating: url) } catch { return .refused(Self.unusable(provider, error)) }
    let request = HTTPRequest(
      endpoint: endpoint, body: body?.buffer, contentType: body?.contentType,
      authorization: bearer.map { .bearer($0) }, caFile: provider.caFile,
      freshConnection: false)
    let answer = RevocationAnswer(provesToken: bearer != nil, name: endpoint.name, secrets: secrets)
    return switch await http.send(request, reading: { answer.outcome(of: $0) }) {
    case .success(let outcome): outcome
    case .failure(.notSent(let message)), .failure(.unknown(let message)): .failed(message)
    }
  }
}

package import KeyrackCore
import KeyrackProtocol

extension ProviderClient {
  package func identify(
    _ grant: Grant, nonce: String?, account: Account
  ) async -> Result<Identity?, RequestFailure> {
    if let token = grant.idToken, let idTokens {
      return await idTokens.claims(of: token, nonce: nonce, account: account).map { $0 }
    }
    return await Result { () async throws(RequestFailure) in
      let provider = account.provider
      let oauth = try oauth(provider)
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
  fileprivate func subject() throws(RequestFailure) -> String {
    let subject = try required("sub")
    guard subject.utf8.count <= 255, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw refusal("with a sub that is not at most 255 printable ASCII characters")
    }
    return subject
  }
}

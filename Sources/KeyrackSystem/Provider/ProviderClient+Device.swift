package import KeyrackCore
import KeyrackProtocol

// RFC 8628.
extension ProviderClient {
  package func beginDevice(_ account: Account) async -> Result<DeviceAuthorization, RequestFailure> {
    await Result { () async throws(RequestFailure) in
      let provider = account.provider
      let oauth = try oauth(provider)
      let endpoint = try endpoint(oauth.endpoints.deviceAuthorization, "device authorization endpoint", of: provider)
      let credentials = try await requireCredentials(of: provider, oauth)
      let scope = account.scopes.joined(separator: provider.habits.scopeSeparator)
      let members = credentials.members + (scope.isEmpty ? [] : [("scope", Secret(scope))])
      let request = EndpointRequest(
        provider: provider, endpoint: endpoint, body: .form(members), authorization: credentials.authorization,
        secrets: credentials.secrets)
      return try await ask(request) { (answer) throws(RequestFailure) in try answer.deviceAuthorization() }
    }
  }

  package func poll(_ device: DeviceAuthorization, account: Account) async -> DeviceOutcome {
    let provider = account.provider
    guard case .oauth(let oauth) = provider.kind else {
      return .ended(.rejected(Rejection(.request, "the provider \(provider.displayName) does not speak OAuth")))
    }
    do {
      let call = try await call(.signIn, oauth.endpoints.token, oauth, provider, sent: [device.deviceCode]) {
        $0.poll(device.deviceCode)
      }
      return try await send(call, provider, reading: { $0.deviceOutcome(of: $1) }).get()
    } catch {
      return .ended(TokenOutcome(error))
    }
  }
}

extension EndpointAnswer {
  /// Section 3.2; `verification_url` is Google's name.
  func deviceAuthorization() throws(RequestFailure) -> DeviceAuthorization {
    let userCode = try required("user_code")
    guard OneLine.text(userCode) == userCode else { throw refusal("with a wrong user_code: not one line") }
    guard let uri = try webAddress(["verification_uri", "verification_url"]) else {
      throw refusal("without verification_uri")
    }
    return DeviceAuthorization(
      deviceCode: Secret(try required("device_code")), userCode: userCode, verificationURI: uri,
      verificationURIComplete: try webAddress(["verification_uri_complete", "verification_url_complete"]),
      lifetime: try seconds("expires_in", in: 1...3600) ?? .seconds(900),
      interval: try seconds("interval", in: 1...60) ?? .seconds(5))
  }

  /// Of a page for a person; the first of these members that is there.
  private func webAddress(_ names: [String]) throws(RequestFailure) -> String? {
    for name in names {
      guard let text = try text(name) else { continue }
      guard Endpoint.isWebAddress(text) else { throw refusal("with a wrong \(name): no web address") }
      return text
    }
    return nil
  }
}

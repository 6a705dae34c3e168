import KeyrackCore
import KeyrackProtocol

/// A request for tokens, ready to be sent.
struct TokenCall {
  let purpose: TokenAnswer.Purpose
  let url: String?
  let body: RequestBody
  var authorization: HTTPRequest.Authorization?
  /// What it says that no message may.
  let secrets: [Secret]
}

extension ProviderClient {
  /// Asks a token endpoint in the name of the client.
  func tokens(
    _ purpose: TokenAnswer.Purpose, from url: String?, _ oauth: Provider.OAuth, _ provider: Provider,
    sent secrets: [Secret], _ body: (TokenRequest) -> RequestBody
  ) async -> TokenOutcome {
    do {
      let call = try await call(purpose, url, oauth, provider, sent: secrets, body)
      return await outcome(of: call, provider)
    } catch {
      return TokenOutcome(error)
    }
  }

  func call(
    _ purpose: TokenAnswer.Purpose, _ url: String?, _ oauth: Provider.OAuth, _ provider: Provider,
    sent secrets: [Secret], _ body: (TokenRequest) -> RequestBody
  ) async throws(HTTPFailure) -> TokenCall {
    let credentials: ClientCredentials
    do { credentials = try await self.credentials(of: provider, oauth) } catch { throw .notSent(error.message) }
    return TokenCall(
      purpose: purpose, url: url, body: body(TokenRequest(credentials: credentials, habits: provider.habits)),
      authorization: credentials.authorization, secrets: secrets + credentials.secrets)
  }

  func outcome(of call: TokenCall, _ provider: Provider) async -> TokenOutcome {
    switch await send(call, provider, reading: { $0.outcome(of: $1) }) {
    case .success(let outcome): outcome
    case .failure(let failure): TokenOutcome(failure)
    }
  }

  /// On a connection of its own: what it spends is spent once.
  func send<Answer: Sendable>(
    _ call: TokenCall, _ provider: Provider, reading read: @escaping @Sendable (TokenAnswer, HTTPResponse) -> Answer
  ) async -> Result<Answer, HTTPFailure> {
    guard let url = call.url else {
      return .failure(.notSent("the provider \(provider.displayName) has no token endpoint"))
    }
    let endpoint: Endpoint
    do { endpoint = try Endpoint(validating: url) } catch {
      return .failure(.notSent(Self.unusable(provider, error)))
    }
    let request = HTTPRequest(
      endpoint: endpoint, body: call.body.text, contentType: call.body.contentType,
      authorization: call.authorization, caFile: provider.caFile, freshConnection: true)
    let answer = TokenAnswer(
      purpose: call.purpose, kind: provider.kind, habits: provider.habits, name: endpoint.name, secrets: call.secrets)
    return await http.send(request, reading: { read(answer, $0) })
  }

  static func unusable(_ provider: Provider, _ error: EndpointError) -> String {
    "an endpoint of the provider \(provider.displayName) is \(error.message)"
  }
}

extension TokenOutcome {
  init(_ failure: HTTPFailure) {
    switch failure {
    case .notSent(let message), .untrusted(let message), .invalidCertificate(let message): self = .notSent(message)
    case .unknown(let message): self = .unknown(message)
    }
  }
}

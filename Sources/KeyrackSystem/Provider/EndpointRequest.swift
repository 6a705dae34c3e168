import KeyrackCore
import KeyrackProtocol

/// A request to an endpoint that gives no tokens.
struct EndpointRequest: Sendable {
  let provider: Provider
  var method = HTTPRequest.Method.post
  let endpoint: Endpoint
  var body: RequestBody?
  var authorization: HTTPRequest.Authorization?
  /// What it says that no message may.
  var secrets: [Secret] = []
}

extension ProviderClient {
  /// Sends it, and reads the JSON object that it is answered with.
  func ask<Answer: Sendable>(
    _ request: EndpointRequest, reading read: @escaping @Sendable (EndpointAnswer) throws(RequestFailure) -> Answer
  ) async throws(RequestFailure) -> Answer {
    try await send(request) { answer, response in answer.object(response, reading: read) }
  }

  /// Sends it, and reads the answer whatever it is.
  func send<Answer: Sendable>(
    _ request: EndpointRequest,
    reading read: @escaping @Sendable (TokenAnswer, HTTPResponse) -> Result<Answer, RequestFailure>
  ) async throws(RequestFailure) -> Answer {
    let provider = request.provider
    let answer = TokenAnswer(
      purpose: .signIn, kind: provider.kind, habits: provider.habits, name: request.endpoint.name,
      secrets: request.secrets)
    // What makes something, a client or a code, is not sent twice.
    let sent = HTTPRequest(
      request.method, endpoint: request.endpoint, body: request.body?.text, contentType: request.body?.contentType,
      authorization: request.authorization, caFile: provider.caFile, freshConnection: request.method == .post)
    switch await http.send(sent, reading: { read(answer, $0) }) {
    case .success(let result): return try result.get()
    case .failure(.untrusted(let message)): throw .unavailable(message, hint: Self.trustHint)
    case .failure(.invalidCertificate(let message)): throw .unavailable(message, hint: Self.certificateHint)
    case .failure(.notSent(let message)), .failure(.unknown(let message)): throw .unavailable(message)
    }
  }

  private static let trustHint =
    "if its authority is your own: ca_file=/PATH/OF/ITS.pem in [keyrack] of keyrack.conf, and keyrack reload"

  private static let certificateHint =
    "see whether the clock of this machine is right, and whether a browser trusts the address: "
    + "if not, tell whoever runs it"

  /// `what` is its name for messages.
  func endpoint(_ url: String?, _ what: String, of provider: Provider) throws(RequestFailure) -> Endpoint {
    guard let url else { throw .refused("the provider \(provider.displayName) has no \(what)") }
    do { return try Endpoint(validating: url) } catch { throw .refused(Self.unusable(provider, error)) }
  }

  func oauth(_ provider: Provider) throws(RequestFailure) -> Provider.OAuth {
    guard case .oauth(let oauth) = provider.kind else {
      throw .refused("the provider \(provider.displayName) does not speak OAuth")
    }
    return oauth
  }

  /// Where there is no secret that is needed, nothing is sent.
  func requireCredentials(
    of provider: Provider, _ oauth: Provider.OAuth
  ) async throws(RequestFailure) -> ClientCredentials {
    do { return try await credentials(of: provider, oauth) } catch {
      switch error.kind {
      // Nothing but the person can change that.
      case .missing:
        throw .rejected(Rejection(.client, error.message, hint: "keyrack provider secret \(provider.name)"))
      case .locked, .failed: throw .unavailable(error.message)
      }
    }
  }
}

extension RequestFailure {
  static let serverHint = "it is reached, and fails: wait, and tell whoever runs it where that lasts"

  /// Of what cannot be asked as things are.
  static func refused(_ message: String, hint: String? = nil) -> RequestFailure {
    .rejected(Rejection(.request, message, hint: hint))
  }

  init(_ outcome: TokenOutcome) {
    switch outcome {
    case .success: self = .unavailable("an answer that makes no sense")
    case .rejected(let rejection): self = .rejected(rejection)
    case .throttled(let message, let retryAfter): self = .throttled(message, retryAfter: retryAfter)
    // It has answered: the network is in order.
    case .notSent(let message), .unknown(let message, _): self = .unavailable(message, hint: Self.serverHint)
    }
  }
}

extension Result where Failure == RequestFailure {
  init(catching body: () async throws(RequestFailure) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

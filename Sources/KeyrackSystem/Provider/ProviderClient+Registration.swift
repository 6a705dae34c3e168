package import KeyrackCore
import KeyrackProtocol

extension ProviderClient {
  package func register(
    _ registration: ClientRegistration, at issuer: IssuerMetadata, caFile: CAFile?
  ) async -> Result<RegisteredClient, RequestFailure> {
    await Result { () async throws(RequestFailure) in
      let provider = Provider(
        name: issuer.issuer, kind: .oauth(.init(issuer: issuer.issuer, clientID: "")), caFile: caFile)
      let endpoint = try endpoint(issuer.endpoints.registration, "registration endpoint", of: provider)
      guard let wish = RegistrationRequest(registration, at: issuer) else {
        throw .refused("the issuer \(issuer.issuer) takes no client that it registers: its methods are not known here")
      }
      do throws(RequestFailure) { return try await register(wish, at: endpoint, provider) } catch {
        // Some know the device grant and register no client with it, or with another beside it.
        guard case .rejected(let rejection) = error, rejection.cause == .request, let less = wish.withoutDevice else {
          throw error
        }
        return try await register(less, at: endpoint, provider)
      }
    }
  }

  private func register(
    _ wish: RegistrationRequest, at endpoint: Endpoint, _ provider: Provider
  ) async throws(RequestFailure) -> RegisteredClient {
    let request = EndpointRequest(provider: provider, endpoint: endpoint, body: .json(wish))
    return try await ask(request) { (answer) throws(RequestFailure) in try answer.client(for: wish) }
  }
}

/// RFC 7591, section 2: a native client with the code flow.
struct RegistrationRequest: JSONObject, Sendable {
  /// `token_endpoint_auth_method`, of those that can be had without a key of one's own; the most wanted first.
  enum Method: String, CaseIterable {
    case none
    case basic = "client_secret_basic"
    case post = "client_secret_post"
  }

  let registration: ClientRegistration
  private(set) var grantTypes: [String]
  let method: Method

  /// Nil where the issuer wants a method that needs more than a secret.
  init?(_ registration: ClientRegistration, at issuer: IssuerMetadata) {
    let offered = issuer.authenticationMethods
    guard let method = Method.allCases.first(where: { offered.isEmpty || offered.contains($0.rawValue) }) else {
      return nil
    }
    self.method = method
    self.registration = registration
    let device = TokenRequest.deviceGrant
    let hasDevice = issuer.endpoints.deviceAuthorization != nil || issuer.grantTypes.contains(device)
    grantTypes = ["authorization_code", "refresh_token"] + (hasDevice ? [device] : [])
  }

  /// Nil where it asks for no such grant.
  var withoutDevice: RegistrationRequest? {
    guard grantTypes.contains(TokenRequest.deviceGrant) else { return nil }
    var less = self
    less.grantTypes.removeAll { $0 == TokenRequest.deviceGrant }
    return less
  }

  func write(to object: inout JSONObjectWriter) {
    object.member("client_name", registration.clientName)
    object.member("redirect_uris", registration.redirectURIs)
    object.member("grant_types", grantTypes)
    object.member("response_types", ["code"])
    object.member("token_endpoint_auth_method", method)
    object.member("application_type", "native")
  }
}

extension EndpointAnswer {
  /// Section 3.2.1: the issuer may have made another client than was asked for. Then it is of no use, and that is said
  /// before anybody tries to sign in with it.
  func client(for wish: RegistrationRequest) throws(RequestFailure) -> RegisteredClient {
    let clientID = try required("client_id")
    guard clientID.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw refusal("with a wrong client_id: not printable ASCII")
    }
    try require(wish.registration.redirectURIs, in: "redirect_uris")
    try require(["authorization_code"], in: "grant_types")
    try require(["code"], in: "response_types")
    let secret = try text("client_secret").map { Secret($0) }
    let authentication = try authentication(wish.method)
    guard authentication.needsSecret else {
      return RegisteredClient(
        clientID: clientID, secret: nil, authentication: authentication, secretExpiresAt: nil)
    }
    guard let secret else { throw refusal("without the client_secret that its method needs") }
    return RegisteredClient(
      clientID: clientID, secret: secret, authentication: authentication, secretExpiresAt: try secretExpiresAt())
  }

  /// What an answer does not repeat is as it was asked for.
  private func require(_ wanted: [String], in member: String) throws(RequestFailure) {
    guard let given = try list(member) else { return }
    for text in wanted where !given.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
      throw refusal("with a client whose \(member) lack \(OneLine.text(text))")
    }
  }

  private func authentication(_ asked: RegistrationRequest.Method) throws(RequestFailure) -> ClientAuthentication {
    let name = try text("token_endpoint_auth_method") ?? asked.rawValue
    switch RegistrationRequest.Method(rawValue: name) {
    case RegistrationRequest.Method.none?: return .none
    case .basic: return .basic
    case .post: return .post
    case nil: throw refusal("with a client whose token_endpoint_auth_method, \(OneLine.text(name)), is not known here")
    }
  }

  /// 0: never.
  private func secretExpiresAt() throws(RequestFailure) -> Int? {
    let latest = 253_402_300_799  // The year 9999.
    guard let time = try seconds("client_secret_expires_at", in: 0...latest) else { return nil }
    let seconds = Int(time.components.seconds)
    return seconds == 0 ? nil : seconds
  }
}

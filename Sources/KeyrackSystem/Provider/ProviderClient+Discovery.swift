package import KeyrackCore
import KeyrackProtocol

extension ProviderClient: SignInProvider {
  package func discover(_ provider: Provider) async -> Result<IssuerMetadata, RequestFailure> {
    await Result { () async throws(RequestFailure) in
      let oauth = try oauth(provider)
      guard let issuer = oauth.issuer, let document = DiscoveryDocument(oauth.discovery) else {
        throw .refused("the provider \(provider.displayName) has no issuer to be asked")
      }
      switch try await metadata(of: issuer, document, provider) {
      case .found(let metadata): return metadata
      case .absent(let failure): throw failure
      }
    }
  }

  package func discover(issuer: String, caFile: CAFile?) async -> Result<IssuerMetadata, RequestFailure> {
    await Result { () async throws(RequestFailure) in
      let provider = Provider(name: issuer, kind: .oauth(.init(issuer: issuer, clientID: "")), caFile: caFile)
      let first: RequestFailure
      switch try await metadata(of: issuer, .openID, provider) {
      case .found(let metadata): return await registering(metadata, provider)
      case .absent(let failure): first = failure
      }
      switch try await metadata(of: issuer, .oauth, provider) {
      case .found(let metadata): return metadata
      case .absent(let second): throw Self.neither(first, second)
      }
    }
  }

  /// What the other document says, where that alone says where to register: django-oauth-toolkit's has it, and where to
  /// revoke, too. The two are not mixed.
  private func registering(_ metadata: IssuerMetadata, _ provider: Provider) async -> IssuerMetadata {
    guard metadata.endpoints.registration == nil,
      case .found(let other)? = try? await self.metadata(of: metadata.issuer, .oauth, provider),
      other.endpoints.registration != nil
    else { return metadata }
    return other
  }

  private func metadata(
    of issuer: String, _ document: DiscoveryDocument, _ provider: Provider
  ) async throws(RequestFailure) -> DiscoveryAnswer {
    let request = EndpointRequest(
      provider: provider, method: .get, endpoint: try metadataEndpoint(of: issuer, document))
    return try await send(request) { answer, response in
      DiscoveryAnswer.of(response, read: answer, from: issuer, document)
    }
  }

  func metadataEndpoint(of issuer: String, _ document: DiscoveryDocument) throws(RequestFailure) -> Endpoint {
    let base: Endpoint
    do { base = try Endpoint(validating: issuer) } catch {
      throw .refused("the issuer is \(error.message)", hint: error.hint)
    }
    guard !base.hasQuery, let endpoint = base.withPath(document.path) else {
      throw .refused("the issuer has a query", hint: "remove the ? and what follows")
    }
    return endpoint
  }

  private static func neither(_ first: RequestFailure, _ second: RequestFailure) -> RequestFailure {
    .rejected(
      Rejection(
        .answer,
        "no metadata: \(first.message) to \(DiscoveryDocument.openID.name), \(second.message) to"
          + " \(DiscoveryDocument.oauth.name)",
        hint: "check the issuer, or give the endpoints one by one"))
  }
}

/// A document in which an issuer describes itself.
enum DiscoveryDocument {
  /// OpenID Connect Discovery, section 4.
  case openID
  /// RFC 8414, section 3.
  case oauth

  /// Nil where nobody is to be asked.
  init?(_ discovery: Provider.Discovery) {
    switch discovery {
    case .none: return nil
    case .oidc: self = .openID
    case .rfc8414: self = .oauth
    }
  }

  var discovery: Provider.Discovery {
    switch self {
    case .openID: .oidc
    case .oauth: .rfc8414
    }
  }

  var name: String {
    switch self {
    case .openID: "openid-configuration"
    case .oauth: "oauth-authorization-server"
    }
  }

  /// OpenID Connect appends to the path of an issuer what RFC 8414 puts before it.
  func path(_ issuer: String) -> String {
    let path = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    return switch self {
    case .openID: "\(path)/.well-known/\(name)"
    case .oauth: "/.well-known/\(name)\(path)"
    }
  }
}

extension RequestFailure {
  var message: String {
    switch self {
    case .rejected(let rejection): rejection.message
    case .throttled(let message, _), .unavailable(let message, _): message
    }
  }
}

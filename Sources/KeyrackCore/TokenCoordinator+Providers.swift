package import KeyrackProtocol

/// What is needed before there is an account: what providers there are, and how to become a client of one.
extension TokenCoordinator {
  package func describeProviders() -> Result<ProvidersOperation.Reply, ReplyError> {
    .success(.init(providers: descriptions))
  }

  package func discover(_ request: DiscoverOperation) async -> Result<DiscoverOperation.Reply, ReplyError> {
    switch await signIns.discover(issuer: request.issuer, caFile: caFile) {
    case .success(let metadata): .success(.init(metadata))
    case .failure(let failure): .failure(self.failure(failure, nil, request.issuer))
    }
  }

  /// Becomes a client. The secret, where there is one, is in the keyring before this answers.
  package func register(
    _ request: RegisterOperation, by caller: Caller
  ) async -> Result<RegisterOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      let name = request.provider
      guard Account.isValid(name: name) else {
        throw ReplyError(
          .badRequest, "name: not a name that a provider can have",
          hint: "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ @ + -")
      }
      if isStopping { throw .shuttingDown }
      let registration = ClientRegistration(clientName: "Keyrack", redirectURIs: try redirectURIs(for: request))
      let metadata = try await metadata(of: request.issuer)
      switch await signIns.register(registration, at: metadata, caFile: caFile) {
      case .failure(let failure): throw self.failure(failure, nil, request.issuer)
      case .success(let client):
        if let secret = client.secret { try await keep(secret, of: name, by: caller) }
        var settings = client.settings(at: metadata)
        if let uri = request.redirectURI { settings.append(Setting(key: "redirect_uri", value: uri)) }
        return .success(.init(provider: name, settings: settings, expiresAt: client.secretExpiresAt))
      }
    } catch {
      return .failure(error)
    }
  }

  /// What the provider of that name will send: a wrong one is told before there is a client with it.
  private func redirectURIs(for request: RegisterOperation) throws(ReplyError) -> [String] {
    var oauth = Provider.OAuth(clientID: "")
    oauth.redirectURI = request.redirectURI
    do throws(RedirectError) {
      return try RedirectURI(of: Provider(name: request.provider, kind: .oauth(oauth))).registered
    } catch {
      throw ReplyError(.badRequest, error.message, hint: error.hint)
    }
  }

  private func metadata(of issuer: String) async throws(ReplyError) -> IssuerMetadata {
    switch await signIns.discover(issuer: issuer, caFile: caFile) {
    case .success(let metadata): return metadata
    case .failure(let failure): throw self.failure(failure, nil, issuer)
    }
  }

  /// Keeps the secret of a client, or removes it. Sessions that the provider has refused for it are tried again.
  package func keepSecret(
    _ request: SecretOperation, by caller: Caller
  ) async -> Result<SecretOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      if isStopping { throw .shuttingDown }
      // Also one that an account has for itself, whose name no group could have.
      guard Account.isValid(name: request.provider) || providers[request.provider] != nil else {
        throw ReplyError(.badRequest, "provider: not a name that a provider can have")
      }
      try await keep(request.secret, of: request.provider, by: caller)
      clientChanged(of: request.provider)
      return .success(.init(provider: request.provider, remembered: storage == .memory ? false : nil))
    } catch {
      return .failure(error)
    }
  }

  private func keep(_ secret: Secret?, of provider: String, by caller: Caller) async throws(ReplyError) {
    if isPurging { throw .purging }
    do throws(StoreError) {
      try await observed { () async throws(StoreError) in try await clientSecrets.keep(secret, of: provider) }
    } catch { throw .keyring(provider, error) }
    let what = secret == nil ? "removed" : "kept"
    report(
      Event(.clientSecretChanged, "client secret of \(provider) \(what) by \(caller.program)", caller: caller))
  }

  private func clientChanged(of provider: String) {
    for key in health.keys { health[key]?.configurationChanged() }
    for slot in slots.values where slot.account.provider.name == provider {
      slot.session?.configurationChanged(to: slot.account.provider, wall: time.wall)
    }
    planRefresh()
  }
}

extension RegisteredClient {
  /// What makes a configuration group of it.
  func settings(at issuer: IssuerMetadata) -> [Setting] {
    var settings = [
      Setting(key: "issuer", value: issuer.issuer), Setting(key: "discovery", value: issuer.discovery.rawValue),
      Setting(key: "client_id", value: clientID),
    ]
    let method: String? =
      switch authentication {
      case .none: nil
      case .post: "client_secret_post"
      case .basic: "client_secret_basic"
      case .privateKey: "private_key_jwt"
      case .apple: "apple"
      }
    if let method { settings.append(Setting(key: "token_endpoint_auth_method", value: method)) }
    return settings
  }
}

extension DiscoverOperation.Reply {
  init(_ metadata: IssuerMetadata) {
    let endpoints = metadata.endpoints
    self.init(
      issuer: metadata.issuer, discovery: metadata.discovery.rawValue, scopes: metadata.scopes,
      grantTypes: metadata.grantTypes, tokenEndpointAuthMethods: metadata.authenticationMethods,
      registers: endpoints.registration != nil)
    authorizationEndpoint = endpoints.authorization
    tokenEndpoint = endpoints.token
    revocationEndpoint = endpoints.revocation
    deviceAuthorizationEndpoint = endpoints.deviceAuthorization
    pushedAuthorizationRequestEndpoint = endpoints.pushedAuthorization
    userinfoEndpoint = endpoints.userinfo
    registrationEndpoint = endpoints.registration
    jwksURI = endpoints.keys
  }
}

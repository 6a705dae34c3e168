/// OAuth 2.0: RFC 6749, sections 4.3 and 6, and RFC 7009.
extension Provider {
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  mutating func answerToken(_ request: HTTPRequest) -> Processed {
    guard let form = request.form else { return Self.oauthError("invalid_request") }
    guard let client = client(of: request) else { return Self.oauthError("invalid_client", status: 401) }
    switch form["grant_type"] {
    case "password": return grantByPassword(form, client: client)
    case "refresh_token": return grantByRefreshToken(form, client: client)
    case "authorization_code": return grantByCode(form, client: client)
    case Self.deviceGrant: return grantByDevice(form, client: client)
    case nil: return Self.oauthError("invalid_request")
    default: return Self.oauthError("unsupported_grant_type")
    }
  }

  private mutating func grantByPassword(_ form: [String: String], client: String) -> Processed {
    guard let name = form["username"], let password = form["password"] else {
      return Self.oauthError("invalid_request")
    }
    guard let user = settings.user(named: name, password: password) else {
      return Self.oauthError("invalid_grant", .denied, user: name)
    }
    let grant = ledger.signIn(user: user, client: client, scope: form["scope"], settings: settings)
    return Processed(grant)
  }

  private mutating func grantByRefreshToken(_ form: [String: String], client: String) -> Processed {
    guard let token = form["refresh_token"] else { return Self.oauthError("invalid_request") }
    switch ledger.refresh(token, client: client, settings: settings) {
    case .granted(let grant): return Processed(grant)
    case .reuse(let family): return Self.oauthError("invalid_grant", .reuse, of: family)
    case .denied: return Self.oauthError("invalid_grant", .denied)
    }
  }

  mutating func answerRevoke(_ request: HTTPRequest) -> Processed {
    guard let form = request.form, let token = form["token"] else { return Self.oauthError("invalid_request") }
    guard client(of: request) != nil else { return Self.oauthError("invalid_client", status: 401) }
    guard let family = ledger.revoke(token) else { return Processed(.nothingToRevoke, HTTPResponse(status: 200)) }
    return Processed(.revoked, HTTPResponse(status: 200), of: family)
  }

  /// The client, where it proves who it is; one without a secret need not (RFC 6749, section 2.3).
  func client(of request: HTTPRequest) -> String? {
    guard let id = request.clientID else { return nil }
    guard let secret = settings.clientSecrets[id] else { return id }
    return secret == request.clientSecret ? id : nil
  }

  static func oauthError(
    _ code: String, _ outcome: Outcome = .malformed, status: Int = 400, of family: TokenFamily? = nil,
    user: String? = nil
  ) -> Processed {
    Processed(outcome, HTTPResponse(status: status, json: ["error": code]), of: family, user: user)
  }
}

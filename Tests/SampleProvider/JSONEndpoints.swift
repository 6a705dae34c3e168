/// A first-party login that takes and answers JSON, and the resource that tokens of both kinds open.
extension Provider {
  mutating func answerLogin(_ request: HTTPRequest) -> Processed {
    guard let json = request.json, let name = json["email"], let password = json["password"] else {
      return Self.jsonError("malformed request", .malformed, status: 400)
    }
    guard let user = settings.user(named: name, password: password) else {
      return Self.jsonError("wrong credentials", .denied, user: name)
    }
    let grant = ledger.signIn(user: user, client: nil, scope: nil, settings: settings)
    return Processed(grant)
  }

  mutating func answerRefresh(_ request: HTTPRequest) -> Processed {
    guard let token = request.json?["refresh_token"] else {
      return Self.jsonError("malformed request", .malformed, status: 400)
    }
    switch ledger.refresh(token, client: nil, settings: settings) {
    case .granted(let grant): return Processed(grant)
    case .reuse(let family): return Self.jsonError("token was used before", .reuse, of: family)
    case .denied: return Self.jsonError("no such token", .denied)
    }
  }

  /// Takes the bearer token while it is alive, else the refresh token: a session can be older than its access token.
  mutating func answerLogout(_ request: HTTPRequest) -> Processed {
    if let family = request.bearerToken.flatMap(ledger.family(ofAccessToken:)) {
      ledger.end(family)
      return Processed(.revoked, HTTPResponse(status: 204), of: family)
    }
    guard let token = request.json?["refresh_token"], let family = ledger.revoke(token) else {
      return Self.jsonError("no such session", .denied)
    }
    return Processed(.revoked, HTTPResponse(status: 204), of: family)
  }

  func answerAPI(_ request: HTTPRequest) -> Processed {
    guard let family = request.bearerToken.flatMap(ledger.family(ofAccessToken:)) else {
      var denied = Self.jsonError("unauthorized", .denied)
      denied.response.headers["WWW-Authenticate"] = "Bearer error=\"invalid_token\""
      return denied
    }
    return Processed(.granted, HTTPResponse(json: ["hello": family.user]), of: family)
  }

  private static func jsonError(
    _ message: String, _ outcome: Outcome, status: Int = 401, of family: TokenFamily? = nil, user: String? = nil
  ) -> Processed {
    Processed(outcome, HTTPResponse(status: status, json: ["message": message]), of: family, user: user)
  }
}

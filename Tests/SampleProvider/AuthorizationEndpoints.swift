/// The code flow (RFC 6749, section 4.1) with proof keys (RFC 7636), pushed requests (RFC 9126) and `iss` (RFC 9207). The
/// person is no part of it: the browser is sent back at once, as if they had decided.
extension Provider {
  mutating func answerAuthorize(_ request: HTTPRequest) -> Processed {
    guard let query = FormFields.decode(request.query), let wish = authorizationRequest(query) else {
      return Processed(.malformed, HTTPResponse(status: 400, html: "<p>This request makes no sense.</p>"))
    }
    let (outcome, decision) = decide(wish)
    let issuer = settings.answeredIssuer ?? request.issuer
    let members = decision + [("state", wish.state)] + (issuer.isEmpty ? [] : [("iss", issuer)])
    return Processed(outcome, response(with: members, to: wish.redirectURI), user: settings.consentingUser)
  }

  private mutating func authorizationRequest(_ query: [String: String]) -> AuthorizationRequest? {
    if let uri = query["request_uri"] { return authorizations.take(uri, client: query["client_id"]) }
    return settings.requiresPush ? nil : AuthorizationRequest(query)
  }

  private mutating func decide(_ wish: AuthorizationRequest) -> (Outcome, [(String, String)]) {
    let unknown = (wish.scope ?? "").split(separator: " ").filter { !settings.scopes.contains(String($0)) }
    if !unknown.isEmpty { return (.denied, [("error", "invalid_scope")]) }
    if !settings.consents {
      return (.denied, [("error", "access_denied"), ("error_description", "The person said <no>")])
    }
    return (.granted, [("code", authorizations.code(for: wish, user: settings.consentingUser))])
  }

  private func response(with members: [(String, String)], to redirectURI: String) -> HTTPResponse {
    guard settings.postsForm else {
      let query = members.map { "\($0)=\(FormFields.escape($1))" }.joined(separator: "&")
      return HTTPResponse(status: 302, headers: ["Location": "\(redirectURI)?\(query)"])
    }
    // Nothing in these needs to be escaped for HTML, apart from the words of a refusal.
    let inputs = members.map { name, value in
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(value.replacing("<", with: "&lt;"))\">"
    }
    return HTTPResponse(
      status: 200, html: "<form method=\"post\" action=\"\(redirectURI)\">\(inputs.joined())</form>")
  }

  mutating func answerPush(_ request: HTTPRequest) -> Processed {
    guard let form = request.form, form["request_uri"] == nil else { return Self.oauthError("invalid_request") }
    guard let client = client(of: request) else { return Self.oauthError("invalid_client", .denied, status: 401) }
    guard let wish = AuthorizationRequest(form), wish.client == client else {
      return Self.oauthError("invalid_request")
    }
    let answer = PushAnswer(requestURI: authorizations.push(wish), expiresIn: 60)
    return Processed(.granted, HTTPResponse(status: 201, json: answer))
  }

  mutating func grantByCode(_ form: [String: String], client: String) -> Processed {
    guard let code = form["code"], let verifier = form["code_verifier"] else {
      return Self.oauthError("invalid_request")
    }
    switch authorizations.exchange(code, client: client, redirectURI: form["redirect_uri"], verifier: verifier) {
    case .granted(let wish, let user):
      let grant = ledger.signIn(user: user, client: client, scope: wish.scope, settings: settings)
      authorizations.wasSpent(code, for: grant.family)
      return Processed(grant)
    case .reuse(let family):
      if let family { ledger.end(family) }
      return Self.oauthError("invalid_grant", .reuse, of: family)
    case .denied: return Self.oauthError("invalid_grant", .denied)
    }
  }
}

/// RFC 9126, section 2.2.
private struct PushAnswer: Encodable {
  let requestURI: String
  /// Seconds.
  let expiresIn: Int

  private enum CodingKeys: String, CodingKey {
    case requestURI = "request_uri"
    case expiresIn = "expires_in"
  }
}

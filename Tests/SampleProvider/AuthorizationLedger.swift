/// Requests that were pushed, and codes that were given for requests. Both are of use once.
struct AuthorizationLedger {
  private var pushed: [String: AuthorizationRequest] = [:]
  private var codes: [String: Code] = [:]

  private struct Code {
    let request: AuthorizationRequest
    let user: String
    /// The sign-in that it was spent for.
    var family: TokenFamily?
    var isSpent = false
  }

  enum Exchange {
    case granted(AuthorizationRequest, user: String)
    /// What was granted for it has to end (RFC 6749, section 4.1.2).
    case reuse(TokenFamily?)
    case denied
  }

  /// The `request_uri` for it (RFC 9126, section 2.2).
  mutating func push(_ request: AuthorizationRequest) -> String {
    let uri = Base64URL.random("urn:ietf:params:oauth:request_uri:")
    pushed[uri] = request
    return uri
  }

  mutating func take(_ uri: String, client: String?) -> AuthorizationRequest? {
    guard let request = pushed[uri], request.client == client else { return nil }
    pushed[uri] = nil
    return request
  }

  mutating func code(for request: AuthorizationRequest, user: String) -> String {
    let code = Base64URL.random("code_")
    codes[code] = Code(request: request, user: user)
    return code
  }

  mutating func exchange(_ code: String, client: String, redirectURI: String?, verifier: String) -> Exchange {
    guard let known = codes[code], known.request.client == client else { return .denied }
    if known.isSpent { return .reuse(known.family) }
    codes[code]?.isSpent = true
    guard known.request.redirectURI == redirectURI, ProofKey.isProven(known.request.challenge, by: verifier) else {
      return .denied
    }
    return .granted(known.request, user: known.user)
  }

  mutating func wasSpent(_ code: String, for family: TokenFamily) { codes[code]?.family = family }
}

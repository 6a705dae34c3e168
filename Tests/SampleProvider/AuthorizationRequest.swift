/// What a client asks the person for (RFC 6749, section 4.1.1), with a proof key of the method S256.
struct AuthorizationRequest {
  let client: String
  let redirectURI: String
  let scope: String?
  let state: String
  let challenge: String

  /// Nil where nothing of it may be trusted, least of all the redirect URI.
  init?(_ parameters: [String: String]) {
    guard parameters["response_type"] == "code", parameters["code_challenge_method"] == "S256",
      let client = parameters["client_id"], !client.isEmpty,
      let redirectURI = parameters["redirect_uri"], redirectURI.contains("://"),
      let state = parameters["state"], !state.isEmpty,
      let challenge = parameters["code_challenge"], challenge.utf8.count == 43
    else { return nil }
    self.client = client
    self.redirectURI = redirectURI
    self.state = state
    self.challenge = challenge
    scope = parameters["scope"]
  }
}

import KeyrackCore
import KeyrackProtocol

/// What an authorization request says (RFC 6749, section 4.1.1; RFC 7636, section 4.3; OpenID Connect Core, section
/// 3.1.2.1), and what it has to be answered with.
struct AuthorizationParameters: Sendable {
  let state: String
  /// Nil where no id_token is asked for.
  let nonce: String?
  let verifier: Secret
  /// In the order in which they are sent, each name once (RFC 6749, section 3.1).
  let all: [(name: String, value: String)]

  init(_ wish: AuthorizationWish, oauth: Provider.OAuth, account: Account) {
    let habits = account.provider.habits
    let (state, verifier) = (Self.random(), Secret(ProofKey.random()))
    let nonce = account.scopes.contains("openid") ? Self.random() : nil
    let scope = account.scopes.isEmpty ? nil : account.scopes.joined(separator: habits.scopeSeparator)
    let pairs = [
      ("response_type", "code"), ("client_id", oauth.clientID), ("redirect_uri", wish.redirectURI), ("scope", scope),
      ("state", state), ("nonce", nonce), ("code_challenge", ProofKey.challenge(verifier)),
      ("code_challenge_method", "S256"), (habits.loginHintParameter, wish.loginHint),
    ]
    let own = pairs.compactMap { name, value in value.map { (name, $0) } }
    let names = Set(own.map(\.0))
    all = own + habits.authorizationParameters.filter { !names.contains($0.name) }.map { ($0.name, $0.value) }
    self.state = state
    self.nonce = nonce
    self.verifier = verifier
  }

  private static func random() -> String { String(decoding: ProofKey.random(), as: UTF8.self) }

  func request(
    at endpoint: Endpoint, saying parameters: [(name: String, value: String)], redirectURI: String,
    lifetime: Duration? = nil
  ) throws(RequestFailure) -> AuthorizationRequest {
    guard let url = endpoint.url(adding: parameters) else {
      throw .refused("the request to \(endpoint.name) is too long for a URL")
    }
    return AuthorizationRequest(
      url: url, redirectURI: redirectURI, state: state, nonce: nonce, verifier: verifier, lifetime: lifetime)
  }
}

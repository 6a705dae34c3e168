import KeyrackCore
import KeyrackProtocol
import Synchronization

@testable import KeyrackSystem

/// A client and an account at a scripted provider.
struct SignInFixture {
  let server: ScriptedServer
  let client: ProviderClient
  var oauth: Provider.OAuth
  var habits = ProviderHabits()
  var scopes = ["openid", "mail"]

  /// - Parameter secret: nil where whoever gives secrets has none; empty is one.
  init(
    _ answers: [String], secret: String? = "s3cr3t/", authentication: ClientAuthentication = .none,
    idTokens: (any IDTokenReader)? = nil
  ) throws {
    server = ScriptedServer(answers: answers)
    client = ProviderClient(
      http: try HTTPClient(), secrets: FixedSecret(secret: secret), signer: SpokenSigner(), idTokens: idTokens)
    oauth = Provider.OAuth(
      clientID: "key rack", authorizationEndpoint: server.url + "/authorize", tokenEndpoint: server.url + "/token",
      revocationEndpoint: server.url + "/revoke")
    oauth.endpoints.deviceAuthorization = server.url + "/device"
    oauth.clientAuthentication = authentication
  }

  var provider: Provider { Provider(name: "corp", kind: .oauth(oauth), habits: habits) }
  var account: Account { Account(name: "work", provider: provider, scopes: scopes) }
  var name: String { "127.0.0.1:\(server.port)" }
  var bodies: [String] { server.requests.map(\.body) }

  func authorize(_ wish: AuthorizationWish = SignInFixture.wish) async throws -> AuthorizationRequest {
    try await client.authorize(wish, account: account).get()
  }

  static let wish = AuthorizationWish(redirectURI: "http://127.0.0.1:8400/cb/")
}

struct FixedSecret: ClientSecretSource {
  let secret: String?

  func secret(of provider: Provider) async -> Result<Secret, ClientSecretError> {
    secret.map { .success(Secret($0)) } ?? .failure(ClientSecretError("the keyring has no client secret"))
  }
}

/// Says what it was asked to sign.
struct SpokenSigner: ClientAssertionSigner {
  func assertion(
    _ kind: ClientAssertionKind, key: Secret, clientID: String, audience: String
  ) async throws(ClientSecretError) -> Secret {
    let key = String(decoding: key.bytes, as: UTF8.self)
    guard key != "broken" else { throw ClientSecretError("the client secret is no private key") }
    return switch kind {
    case .privateKey(let keyID): Secret("\(keyID ?? "-"),\(key),\(clientID),\(audience)")
    case .apple(let teamID, let keyID): Secret("\(teamID),\(keyID),\(key),\(clientID),\(audience)")
    }
  }
}

extension RequestFailure {
  var rejection: Rejection? {
    if case .rejected(let rejection) = self { rejection } else { nil }
  }

  /// Without its message.
  var `class`: OutcomeClass {
    switch self {
    case .rejected(let rejection): .rejected(rejection.cause)
    case .throttled(_, let retryAfter): .throttled(retryAfter)
    case .unavailable: .notSent
    }
  }
}

extension Result where Failure == RequestFailure {
  var failure: RequestFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

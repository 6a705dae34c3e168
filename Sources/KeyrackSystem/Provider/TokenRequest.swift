import KeyrackCore
import KeyrackProtocol

/// What is sent to a token endpoint (RFC 6749, sections 4.1.3, 4.3.2 and 6; RFC 8628, section 3.4).
struct TokenRequest {
  let credentials: ClientCredentials
  let habits: ProviderHabits

  func signIn(username: String, password: Secret, scopes: [String]) -> RequestBody {
    let grant = [("grant_type", Secret("password")), ("username", Secret(username)), ("password", password)]
    return body(grant + credentials.members + scope(scopes), habits.tokenParameters)
  }

  /// `redirectURI` and `verifier` are those of the authorization request, to the byte.
  func exchange(_ code: Secret, redirectURI: String, verifier: Secret) -> RequestBody {
    let grant = [
      ("grant_type", Secret("authorization_code")), ("code", code), ("redirect_uri", Secret(redirectURI)),
    ]
    return body(grant + credentials.members + [("code_verifier", verifier)], habits.tokenParameters)
  }

  func poll(_ deviceCode: Secret) -> RequestBody {
    let grant = [("grant_type", Secret(Self.deviceGrant)), ("device_code", deviceCode)]
    return body(grant + credentials.members, habits.tokenParameters)
  }

  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  /// `scopes` are the account's, for a provider that wants to hear them again.
  func refresh(_ token: Secret, for target: TokenTarget, scopes: [String]) -> RequestBody {
    let grant = [("grant_type", Secret("refresh_token")), ("refresh_token", token)]
    let usual = habits.sendsScopeOnRefresh ? scopes : []
    let wanted = scope(target.scopes.isEmpty ? usual : target.scopes)
    let resources = target.resources.map { ("resource", Secret($0)) }
    let replaced = Set(habits.refreshParameters.map(\.name))
    return body(
      grant + credentials.members + wanted + resources,
      habits.tokenParameters.filter { !replaced.contains($0.name) } + habits.refreshParameters)
  }

  private func scope(_ scopes: [String]) -> [(String, Secret)] {
    scopes.isEmpty ? [] : [("scope", Secret(scopes.joined(separator: habits.scopeSeparator)))]
  }

  private func body(_ members: [(String, Secret)], _ parameters: [ProviderHabits.Parameter]) -> RequestBody {
    let members = members + parameters.map { ($0.name, Secret($0.value)) }
    return switch habits.tokenBody {
    case .form: .form(members)
    case .json: .json(members)
    }
  }
}

import KeyrackCore
import KeyrackProtocol

/// What is sent to a token endpoint (RFC 6749, sections 4.3.2 and 6).
struct TokenRequest {
  let oauth: Provider.OAuth
  let habits: ProviderHabits

  func signIn(username: String, password: Secret, scopes: [String]) -> RequestBody {
    var members = [
      ("grant_type", Secret("password")), ("username", Secret(username)), ("password", password),
      ("client_id", Secret(oauth.clientID)),
    ]
    add(scopes, to: &members)
    return body(members, habits.tokenParameters)
  }

  /// `scopes` are the account's, for a provider that wants to hear them again.
  func refresh(_ token: Secret, for target: TokenTarget, scopes: [String]) -> RequestBody {
    var members = [
      ("grant_type", Secret("refresh_token")), ("refresh_token", token), ("client_id", Secret(oauth.clientID)),
    ]
    if !target.scopes.isEmpty {
      add(target.scopes, to: &members)
    } else if habits.sendsScopeOnRefresh {
      add(scopes, to: &members)
    }
    members += target.resources.map { ("resource", Secret($0)) }
    let replaced = Set(habits.refreshParameters.map(\.name))
    return body(members, habits.tokenParameters.filter { !replaced.contains($0.name) } + habits.refreshParameters)
  }

  private func add(_ scopes: [String], to members: inout [(String, Secret)]) {
    if !scopes.isEmpty { members.append(("scope", Secret(scopes.joined(separator: habits.scopeSeparator)))) }
  }

  private func body(_ members: [(String, Secret)], _ parameters: [ProviderHabits.Parameter]) -> RequestBody {
    let members = members + parameters.map { ($0.name, Secret($0.value)) }
    return switch habits.tokenBody {
    case .form: .form(members)
    case .json: .json(members)
    }
  }
}

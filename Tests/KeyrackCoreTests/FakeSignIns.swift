import KeyrackCore
import KeyrackProtocol
import Synchronization

/// How a provider answers the requests of a sign-in, and what it was asked.
final class FakeSignIns: Sendable {
  struct State {
    var metadata: Result<IssuerMetadata, RequestFailure> = .failure(.unavailable("no discovery here"))
    var authorization: RequestFailure?
    var authorizationLifetime: Duration?
    var exchanges: [TokenOutcome] = [grant("at-1", "rt-1")]
    var device: Result<DeviceAuthorization, RequestFailure> = .success(FakeSignIns.device())
    var polls: [DeviceOutcome] = [.pending]
    var identities: [Result<Identity?, RequestFailure>] = [.success(nil)]
    var finding = ProviderFinding(.success("answers"))
    /// Whether a probe has no answer for a long time.
    var hangs = false
    var asked: [String] = []
    var pollTimes: [ContinuousClock.Instant] = []
    var authorizations = 0
  }

  private let state = Mutex(State())

  func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
  var asked: [String] { state.withLock { $0.asked } }
  var pollTimes: [ContinuousClock.Instant] { state.withLock { $0.pollTimes } }

  static func device(lifetime: Duration = .seconds(900), interval: Duration = .seconds(5)) -> DeviceAuthorization {
    DeviceAuthorization(
      deviceCode: Secret("device-code"), userCode: "ABCD-EFGH", verificationURI: "https://sso.example/device",
      lifetime: lifetime, interval: interval)
  }
}

extension FakeProvider: SignInProvider {
  func discover(_ provider: Provider) async -> Result<IssuerMetadata, RequestFailure> {
    take("discover") { $0.metadata }
  }

  func discover(issuer: String, caFile: CAFile?) async -> Result<IssuerMetadata, RequestFailure> {
    take("discover \(issuer)" + (caFile.map { " trusting \($0.path)" } ?? "")) { $0.metadata }
  }

  func probe(_ provider: Provider) async -> ProviderFinding {
    let (finding, hangs) = take("probe \(provider.name)") { ($0.finding, $0.hangs) }
    if hangs, let clock { try? await clock.sleep(until: clock.now + .seconds(3600)) }
    return finding
  }

  func register(
    _ registration: ClientRegistration, at issuer: IssuerMetadata, caFile: CAFile?
  ) async -> Result<RegisteredClient, RequestFailure> {
    take("register" + (caFile.map { " trusting \($0.path)" } ?? "")) { _ in
      .success(
        RegisteredClient(clientID: "new", secret: Secret("shh"), authentication: .basic, secretExpiresAt: nil))
    }
  }

  func authorize(
    _ wish: AuthorizationWish, account: Account
  ) async -> Result<AuthorizationRequest, RequestFailure> {
    take("authorize \(wish.redirectURI)" + (wish.loginHint.map { " as \($0)" } ?? "")) { state in
      if let failure = state.authorization { return .failure(failure) }
      state.authorizations += 1
      let number = state.authorizations
      return .success(
        AuthorizationRequest(
          url: "https://sso.example/authorize?state=state-\(number)", redirectURI: wish.redirectURI,
          state: "state-\(number)", nonce: "nonce-\(number)", verifier: Secret("verifier-\(number)"),
          lifetime: state.authorizationLifetime))
    }
  }

  func exchange(_ code: Secret, of request: AuthorizationRequest, account: Account) async -> TokenOutcome {
    take("exchange \(text(code)) \(text(request.verifier))") { state in
      state.exchanges.count > 1 ? state.exchanges.removeFirst() : state.exchanges[0]
    }
  }

  func beginDevice(_ account: Account) async -> Result<DeviceAuthorization, RequestFailure> {
    take("device") { $0.device }
  }

  func poll(_ device: DeviceAuthorization, account: Account) async -> DeviceOutcome {
    let now = clock?.now ?? .now
    return take("poll") { state in
      state.pollTimes.append(now)
      return state.polls.count > 1 ? state.polls.removeFirst() : state.polls[0]
    }
  }

  func identify(
    _ grant: Grant, at occasion: IdentityOccasion, account: Account
  ) async -> Result<Identity?, RequestFailure> {
    let name =
      switch occasion {
      case .signIn(let nonce): nonce ?? "without nonce"
      case .refresh(let subject, let authTime): "again \(subject)" + (authTime.map { " of \($0)" } ?? "")
      }
    return take("identify \(name)") { state in
      state.identities.count > 1 ? state.identities.removeFirst() : state.identities[0]
    }
  }

  private func take<Value>(_ request: String, _ answer: (inout FakeSignIns.State) -> Value) -> Value {
    var value: Value?
    signIns.change {
      $0.asked.append(request)
      value = answer(&$0)
    }
    guard let value else { preconditionFailure("the closure was called") }
    return value
  }
}

/// A listener that no browser finds: what one brings is handed to the coordinator by the test.
final class FakeRedirects: RedirectListener {
  private let opened = Mutex<[String]>([])
  private let failure: RedirectError?

  init(failing failure: RedirectError? = nil) { self.failure = failure }

  var open: [String] { opened.withLock { $0 } }

  func open(_ redirect: RedirectURI) async throws(RedirectError) -> String {
    if let failure { throw failure }
    let uri = redirect.text(port: 7777)
    opened.withLock { $0.append(uri) }
    return uri
  }

  func close(_ redirectURI: String) async {
    opened.withLock { open in
      if let position = open.firstIndex(of: redirectURI) { open.remove(at: position) }
    }
  }

  /// Pasted here: state and code, with a space between.
  nonisolated func response(
    in pasted: Secret, at redirectURI: String
  ) throws(RedirectError) -> AuthorizationResponse? {
    let words = text(pasted).split(separator: " ").map { String($0) }
    guard words.count == 2 else { throw RedirectError("not an address") }
    return answer(state: words[0], code: words[1])
  }
}

func answer(
  state: String = "state-1", code: String? = "code", issuer: String? = nil, error: String? = nil,
  user: String? = nil
) -> AuthorizationResponse {
  let members = [("state", state), ("code", code), ("iss", issuer), ("error", error), ("user", user)]
  let parameters = members.compactMap { name, value in value.map { (name: name, value: Secret($0)) } }
  guard let response = try? AuthorizationResponse(parameters) else { preconditionFailure("nothing is there twice") }
  return response
}

import KeyrackCore
import KeyrackProtocol
import Synchronization

extension Bench {
  /// With a provider that people sign in to by a browser.
  init(
    signingInAt change: (inout Provider.OAuth) -> Void, habits: ProviderHabits = ProviderHabits(),
    redirects: FakeRedirects = FakeRedirects()
  ) {
    var oauth = Provider.OAuth(
      issuer: "https://sso.example", clientID: "keyrack", authorizationEndpoint: "https://sso.example/authorize",
      tokenEndpoint: "https://sso.example/token", revocationEndpoint: "https://sso.example/revoke")
    change(&oauth)
    let clock = FakeClock()
    self.init(
      provider: FakeProvider(clock: clock), clock: clock, kind: .oauth(oauth), habits: habits, redirects: redirects)
  }

  var signIns: FakeSignIns { provider.signIns }
  var asked: [String] { signIns.asked }

  /// Asks for a sign-in in the background, and returns once it waits for the person.
  func logIn(_ request: LoginOperation = LoginOperation(account: "work")) async -> Login {
    let login = Login()
    login.begin(request, coordinator)
    await QueueExecutor.shared.settle()
    return login
  }

  /// A browser comes back.
  func bring(
    _ response: AuthorizationResponse, at redirectURI: String = BrowserSignInTests.redirectURI
  ) async -> CallbackPage {
    await coordinator.authorizationResponded(response, at: redirectURI)
  }

  func paste(_ address: String) async -> Result<LoginResponseOperation.Reply, ReplyError> {
    await coordinator.loginResponded(LoginResponseOperation(account: "work", url: Secret(address)))
  }

  /// A `login` that waits.
  final class Login: Sendable {
    private let log = Mutex<[LoginEvent]>([])
    private let task = Mutex<Task<Result<LoginOperation.Reply, ReplyError>, Never>?>(nil)

    var events: [LoginEvent] { log.withLock { $0 } }

    fileprivate func begin(_ request: LoginOperation, _ coordinator: TokenCoordinator) {
      let login = Task {
        await coordinator.login(request) { event in self.log.withLock { $0.append(event) } }
      }
      task.withLock { $0 = login }
    }

    func outcome() async -> Result<LoginOperation.Reply, ReplyError> {
      guard let task = task.withLock({ $0 }) else { preconditionFailure("it was begun") }
      return await task.value
    }
  }
}

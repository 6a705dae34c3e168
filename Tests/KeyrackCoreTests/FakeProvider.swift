import KeyrackCore
import KeyrackProtocol

/// A provider whose requests wait until the test answers them.
actor FakeProvider: IdentityProvider {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  enum Request: Sendable, Equatable {
    case signIn(String, account: String)
    case refresh(Secret, account: String)
    case revoke(refreshToken: Secret?, accessToken: Secret?)
  }

  let signIns = FakeSignIns()
  private(set) var requests: [Request] = []
  /// Token endpoints of the accounts that refreshes were for.
  private(set) var endpointsAsked: [String] = []
  private var held: [CheckedContinuation<TokenOutcome, Never>] = []
  private var arrivals: [(count: Int, CheckedContinuation<Void, Never>)] = []
  private let revocations: RevocationOutcome
  /// Answers by itself, where set.
  private let answer: (@Sendable (Request) -> TokenOutcome)?
  /// When requests came, and how long each takes.
  let clock: FakeClock?
  private let latency: Duration
  private(set) var times: [ContinuousClock.Instant] = []
  private(set) var targets: [TokenTarget] = []
  private(set) var inFlight = 0
  private(set) var mostInFlight = 0

  init(
    revocations: RevocationOutcome = .done, clock: FakeClock? = nil, latency: Duration = .zero,
    answer: (@Sendable (Request) -> TokenOutcome)? = nil
  ) {
    self.revocations = revocations
    self.clock = clock
    self.latency = latency
    self.answer = answer
  }

  func signIn(username: String, password: Secret, account: Account) async -> TokenOutcome {
    await receive(.signIn(username, account: account.name))
  }

  func refresh(_ refreshToken: Secret, for target: TokenTarget, account: Account) async -> TokenOutcome {
    targets.append(target)
    if let endpoint = account.provider.endpoints?.token { endpointsAsked.append(endpoint) }
    return await receive(.refresh(refreshToken, account: account.name))
  }

  func revoke(_ revocation: Revocation, provider: Provider) async -> RevocationOutcome {
    arrived(.revoke(refreshToken: revocation.refreshToken, accessToken: revocation.accessToken))
    return revocations
  }

  private func receive(_ request: Request) async -> TokenOutcome {
    if let answer {
      arrived(request)
      inFlight += 1
      mostInFlight = max(mostInFlight, inFlight)
      if let clock, latency > .zero { try? await clock.sleep(until: clock.now + latency) }
      inFlight -= 1
      return answer(request)
    }
    return await withCheckedContinuation {
      held.append($0)
      arrived(request)
    }
  }

  private func arrived(_ request: Request) {
    requests.append(request)
    if let clock { times.append(clock.now) }
    for arrival in arrivals where arrival.count <= requests.count { arrival.1.resume() }
    arrivals.removeAll { $0.count <= requests.count }
  }

  /// Waits until that many requests have come in all.
  func waitForRequests(_ count: Int) async {
    if requests.count >= count { return }
    await withCheckedContinuation { arrivals.append((count, $0)) }
  }

  /// Answers the oldest request that waits.
  func answerNext(_ outcome: TokenOutcome) { held.removeFirst().resume(returning: outcome) }
}

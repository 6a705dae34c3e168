import Dispatch
import KeyrackCore
import KeyrackProtocol
import Synchronization
import Testing

/// What coordinators and all fakes run on in tests: one queue, so that a test can wait until nothing is left to do.
final class QueueExecutor: SerialExecutor {
  static let shared = QueueExecutor()

  private let queue = DispatchQueue(label: "coordinator")
  /// Jobs that are queued or run.
  private let jobs = Atomic<Int>(0)

  func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

  func enqueue(_ job: UnownedJob) {
    jobs.add(1, ordering: .sequentiallyConsistent)
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      self.jobs.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  /// Returns when everything waits for a clock, a provider or a keyring. For tests with ``OneQueue``.
  func settle() async {
    while await !isIdle() {}
  }

  private func isIdle() async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.jobs.load(ordering: .sequentiallyConsistent) == 0) }
    }
  }
}

/// A provider whose requests wait until the test answers them.
actor FakeProvider: IdentityProvider {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  enum Request: Sendable, Equatable {
    case signIn(String, account: String)
    case refresh(Secret, account: String)
    case revoke(refreshToken: Secret?, accessToken: Secret?)
  }

  private(set) var requests: [Request] = []
  private var held: [CheckedContinuation<TokenOutcome, Never>] = []
  private var arrivals: [(count: Int, CheckedContinuation<Void, Never>)] = []
  private let revocations: RevocationOutcome
  /// Answers by itself, where set.
  private let answer: (@Sendable (Request) -> TokenOutcome)?
  /// When requests came, and how long each takes.
  private let clock: FakeClock?
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

actor FakeEndedSessions: EndedSessions {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  private(set) var notes: [EndedSession]

  init(_ notes: [EndedSession] = []) { self.notes = notes }

  func add(_ note: EndedSession) throws(StateError) { notes.append(note) }
  func remove(_ note: EndedSession) { notes.removeAll { $0 == note } }
  func all() -> [EndedSession] { notes }
}

actor FakeIntents: RefreshIntents {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  private(set) var intents: [RefreshIntent]
  private(set) var added: [RefreshIntent] = []
  private let journal: Journal?
  private var isHolding = false
  private var held: [CheckedContinuation<Void, Never>] = []

  init(_ intents: [RefreshIntent] = [], journal: Journal? = nil) {
    self.intents = intents
    self.journal = journal
  }

  /// Removing one takes until ``release()``.
  func hold() { isHolding = true }
  func release() {
    isHolding = false
    for continuation in held { continuation.resume() }
    held = []
  }

  func add(_ intent: RefreshIntent) throws(StateError) {
    intents.removeAll { $0.session == intent.session }
    intents.append(intent)
    added.append(intent)
    journal?.note("add intent")
  }
  func remove(of session: SessionID) async {
    if isHolding { await withCheckedContinuation { held.append($0) } }
    intents.removeAll { $0.session == session }
    journal?.note("remove intent")
  }
  func interrupted() -> [RefreshIntent] { intents }
}

/// What several fakes were asked to do, in the order in which it was done.
final class Journal: Sendable {
  private let entries = Mutex<[String]>([])

  var lines: [String] { entries.withLock { $0 } }
  func note(_ line: String) { entries.withLock { $0.append(line) } }
}

/// Answers one after the other, and the last one for ever.
final class Script: Sendable {
  private let outcomes: Mutex<[TokenOutcome]>

  init(_ outcomes: [TokenOutcome]) { self.outcomes = Mutex(outcomes) }

  func next() -> TokenOutcome { outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
  func becomes(_ outcomes: TokenOutcome...) { self.outcomes.withLock { $0 = outcomes } }
}

/// A clock that stands until the test moves it.
final class FakeClock: TimeSource {
  private struct State {
    var offset = Duration.zero
    /// By how much somebody has set the wall clock wrong.
    var error = 0
    var sleepers: [Int: (deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var canceled: Set<Int> = []
    var last = 0
  }

  private let start = ContinuousClock.now
  private let state = Mutex(State())

  var now: ContinuousClock.Instant { start + state.withLock { $0.offset } }
  var wall: Int { 1_000_000 + state.withLock { $0.error + Int($0.offset.components.seconds) } }
  var boot: BootTime? { BootTime(boot: "this", seconds: 500 + Int(state.withLock { $0.offset }.components.seconds)) }

  /// Sets the wall clock, and no other.
  func stepWall(by seconds: Int) { state.withLock { $0.error += seconds } }

  /// Lets that much time go by, from one thing that happens to the next.
  func run(_ duration: Duration) async {
    let end = now + duration
    await QueueExecutor.shared.settle()
    while let next = state.withLock({ $0.sleepers.values.map(\.deadline).min() }), next <= end {
      advance(next - now)
      await QueueExecutor.shared.settle()
    }
    advance(end - now)
    await QueueExecutor.shared.settle()
  }

  func advance(_ duration: Duration) {
    let due = state.withLock { state in
      state.offset += duration
      let now = start + state.offset
      // One after the other, as they would have woken.
      let due = state.sleepers.filter { $0.value.deadline <= now }
        .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      for (number, _) in due { state.sleepers[number] = nil }
      return due.map(\.value.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  func sleep(until deadline: ContinuousClock.Instant) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let end: Result<Void, any Error>? = state.withLock { state in
          if state.canceled.contains(number) { return .failure(CancellationError()) }
          if deadline <= start + state.offset { return .success(()) }
          state.sleepers[number] = (deadline, continuation)
          return nil
        }
        if let end { continuation.resume(with: end) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.canceled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// A configuration of accounts of one provider, which the test names.
final class FakeSource: ConfigurationSource {
  private let file: Mutex<(accounts: [String], provider: Provider)>

  init(_ accounts: [String], of provider: Provider = Bench.corp) { file = Mutex((accounts, provider)) }

  func write(_ accounts: [String], of provider: Provider = Bench.corp) { file.withLock { $0 = (accounts, provider) } }

  var configuration: Configuration {
    let (names, provider) = file.withLock { $0 }
    let accounts = names.map { ($0, Account(name: $0, provider: provider, scopes: ["mail", "files"])) }
    return Configuration(providers: ["corp": provider], accounts: Dictionary(uniqueKeysWithValues: accounts))
  }

  func read() async throws(ConfigurationError) -> Configuration { configuration }
}

struct FakeDigest: Digest {
  func sha256(_ bytes: [UInt8]) -> String { "digest of " + String(decoding: bytes, as: UTF8.self) }
}

struct SilentLog: EventLog {
  func record(_ level: EventLevel, _ event: String, account: String?, _ message: String) {}
}

/// A coordinator with everything around it faked.
struct Bench {
  let provider: FakeProvider
  let store: FakeStore
  let notes: FakeEndedSessions
  let intents: FakeIntents
  let source: FakeSource
  let clock: FakeClock
  let coordinator: TokenCoordinator

  static let corp = Provider(
    name: "corp",
    kind: .oauth(
      .init(
        issuer: "https://sso.example", clientID: "keyrack", tokenEndpoint: "https://sso.example/token",
        revocationEndpoint: "https://sso.example/revoke", allowsPasswordGrant: true)))

  init(
    provider: FakeProvider = FakeProvider(), contents: StoreContents = StoreContents(), notes: [EndedSession] = [],
    intents: [RefreshIntent] = [], clock: FakeClock = FakeClock(), accounts: [String] = ["work", "other"],
    habits: ProviderHabits = ProviderHabits(), journal: Journal? = nil
  ) {
    source = FakeSource(accounts, of: Provider(name: "corp", kind: Bench.corp.kind, habits: habits))
    self.clock = clock
    self.provider = provider
    store = FakeStore(contents, journal: journal)
    self.notes = FakeEndedSessions(notes)
    self.intents = FakeIntents(intents, journal: journal)
    coordinator = TokenCoordinator(
      executor: QueueExecutor.shared, configuration: source.configuration, provider: provider, store: store,
      endedSessions: self.notes, intents: self.intents, source: source, time: clock, digest: FakeDigest(),
      log: SilentLog(), random: { 0 }, checkpoint: { journal?.note($0.rawValue) })
  }

  static func record(
    _ account: String = "work", _ token: String = "rt-1", session: SessionID = SessionID(), generation: Int = 0
  ) -> SessionRecord {
    SessionRecord(
      session: session, account: account, provider: "corp", generation: generation, audience: corp.audience,
      refreshToken: Secret(token), obtainedAt: 999_000)
  }

  /// One account in the keyring, `work`, and a provider that answers as written.
  static func scripted(
    _ script: Script, record: SessionRecord = record(), intents: [RefreshIntent] = [],
    habits: ProviderHabits = ProviderHabits(), journal: Journal? = nil
  ) -> Bench {
    let clock = FakeClock()
    let provider = FakeProvider(clock: clock) { _ in script.next() }
    return Bench(
      provider: provider, contents: StoreContents(records: [record]), intents: intents, clock: clock,
      habits: habits, journal: journal)
  }

  var refreshTokensSent: [String] {
    get async {
      await provider.requests.compactMap { if case .refresh(let token, _) = $0 { text(token) } else { nil } }
    }
  }

  func status(of account: String = "work") async throws -> AccountStatus {
    try #require(await coordinator.status(StatusOperation(account: account)).get().accounts.first)
  }

  /// Asks in the background, and returns once the coordinator has taken the request in.
  func ask(_ account: String = "work", timeout: Int? = nil) async -> Answer {
    await ask(TokenOperation(account: account, timeout: timeout))
  }

  func ask(_ request: TokenOperation) async -> Answer { await coordinator.begin(request) }

  func ask(_ accounts: [String], timeout: Int? = nil) async -> [Answer] {
    var answers: [Answer] = []
    for account in accounts { answers.append(await ask(account, timeout: timeout)) }
    return answers
  }

  typealias Answer = Task<Result<TokenOperation.Reply, ReplyError>, Never>

  func logOut(_ account: String = "work") async -> Result<LogoutOperation.Reply, ReplyError> {
    await coordinator.logout(LogoutOperation(account: account))
  }

  /// Reads a configuration that names these accounts.
  func reload(_ accounts: [String], of provider: Provider = Bench.corp) async {
    source.write(accounts, of: provider)
    _ = await coordinator.reload()
  }

  func signIn(_ account: String = "work", remember: Bool? = nil) async -> Result<LoginOperation.Reply, ReplyError> {
    await coordinator.login(
      LoginOperation(account: account, username: "alice", password: Secret("secret"), remember: remember))
  }
}

func grant(_ access: String, _ refresh: String? = nil, seconds: Int = 3600) -> TokenOutcome {
  .success(
    Grant(accessToken: Secret(access), lifetime: .seconds(seconds), refreshToken: refresh.map { Secret($0) }))
}

extension TokenCoordinator {
  func begin(_ request: TokenOperation) -> Bench.Answer { Task { await token(request) } }
}

extension TokenOutcome {
  static func rejected(_ cause: Rejection.Cause, _ refreshToken: String? = nil) -> TokenOutcome {
    .rejected(Rejection(cause, "no", refreshToken: refreshToken.map { Secret($0) }))
  }
}

extension Result where Failure == ReplyError {
  var error: ReplyError? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
  var code: ErrorCode? { error?.code }
}

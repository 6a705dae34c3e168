import KeyrackCore
import KeyrackProtocol
import Testing

/// A coordinator with everything around it faked.
struct Bench {
  let provider: FakeProvider
  let store: FakeStore
  let notes: FakeEndedSessions
  let intents: FakeIntents
  let source: FakeSource
  let clock: FakeClock
  let redirects: FakeRedirects
  let prompt = FakePrompt()
  let hook = FakeHook()
  let display = FakeDisplay()
  let log = FakeLog()
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
    kind: Provider.Kind = Bench.corp.kind, habits: ProviderHabits = ProviderHabits(),
    redirects: FakeRedirects = FakeRedirects(), notices: NoticeSettings = NoticeSettings(), journal: Journal? = nil
  ) {
    source = FakeSource(accounts, of: Provider(name: "corp", kind: kind, habits: habits), notices: notices)
    self.redirects = redirects
    self.clock = clock
    self.provider = provider
    store = FakeStore(contents, journal: journal)
    self.notes = FakeEndedSessions(notes)
    self.intents = FakeIntents(intents, journal: journal)
    coordinator = TokenCoordinator(
      executor: QueueExecutor.shared, configuration: source.configuration, provider: provider, redirects: redirects,
      store: store, clientSecrets: store,
      endedSessions: self.notes, intents: self.intents, source: source, time: clock, digest: FakeDigest(),
      fingerprints: FakeDigest(), prompt: prompt, hook: hook, display: display, log: log, random: { 0 },
      checkpoint: { journal?.note($0.rawValue) })
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

extension TokenCoordinator {
  func begin(_ request: TokenOperation) -> Bench.Answer { Task { await token(request) } }
}

package import KeyrackProtocol

/// Holds every session and makes every decision's consequences happen.
///
/// It runs on the executor that it is given, the daemon's loop; ``Responder`` enters it without a hop where a token is
/// in memory. After each `await` the identity of the session or the number of the attempt is checked again: what belongs
/// to a session that has ended in between is neither stored nor handed out.
package actor TokenCoordinator {
  private nonisolated let executor: any SerialExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  let provider: any IdentityProvider
  let signIns: any SignInProvider
  let redirects: any RedirectListener
  let store: any SessionStore & StoreProbe & StoreRemoval
  let storage: Configuration.Storage
  let clientSecrets: any ClientSecretStore
  let persons: any PersonStore
  let endedSessions: any EndedSessions
  let intents: any RefreshIntents
  let source: any ConfigurationSource
  let time: any TimeSource
  let digest: any Digest
  let fingerprints: any Fingerprints
  let prompt: any ConfirmationPrompt
  let hook: any EventHook
  let display: any NoticeDisplay
  let log: any EventLog
  /// Whether what secrets are kept in is never swapped out.
  let locksMemory: Bool
  /// From 0 to 1, for what is to be spread in time.
  let random: @Sendable () -> Double
  /// Called at each step of a refresh.
  let checkpoint: @Sendable (RefreshStep) -> Void
  /// Called with the number of accounts that are signed in, whenever it has changed.
  private let signedInChanged: @Sendable (Int) -> Void
  private var lastSignedIn = 0

  var slots: [String: AccountSlot] = [:]
  var providers: [String: Provider]
  var descriptions: [ProviderDescription]
  /// For issuers of which nothing is configured yet.
  var caFile: CAFile?
  var uses: [UseMapping]
  var notices: NoticeSettings
  /// Set while the daemon runs without a configuration that can be used.
  var configurationError: ConfigurationError?
  package internal(set) var isStopping = false

  // Waiting: see TokenCoordinator+Token.
  var waiters: [Awaited: [Int: CheckedContinuation<Wake, Never>]] = [:]
  var lastWaiter = 0
  /// The refresh under way of each session, ended ones included.
  var flights: [SessionID: Task<Void, Never>] = [:]
  /// What a refresh brought for a session that had ended by then: to be revoked, nothing else.
  var lateTokens: [SessionID: MintedTokens] = [:]

  // Looking at everything: see TokenCoordinator+Check.
  var lastCheck = 0

  // Asking the person: see TokenCoordinator+Confirmation.
  var confirmations: [ConfirmationQuestion: PendingConfirmation] = [:]
  var lastConfirmation: Task<Void, Never>?
  /// Until when a yes stands.
  var confirmed: [ConfirmationQuestion: ContinuousClock.Instant] = [:]

  // The journal: see TokenCoordinator+Audit.
  var throttle = EventThrottle()
  /// Ends one window of it after the other.
  var counting: Task<Void, Never>?

  // When refreshes begin: see TokenCoordinator+Schedule.
  var limiter = RefreshLimiter()
  /// Refreshes that wait until they may begin.
  var admissions: [SessionID: CheckedContinuation<Bool, Never>] = [:]
  /// Refreshes under way that somebody waits for.
  var awaitedFlights: Set<SessionID> = []
  var health: [ProviderHealth.Key: ProviderHealth] = [:]
  /// The alarm for the next refresh that nobody asks for.
  var planned: Task<Void, Never>?
  var plannedAt: ContinuousClock.Instant?

  // Signing in: see TokenCoordinator+Login.
  var lastLogin = 0
  /// What a browser is to be shown that comes back for one of the last sign-ins.
  var endedLogins: [Int: CallbackPage] = [:]
  /// Of authorization requests whose response has come, the last ones.
  var usedStates: [String] = []

  // Telling what changes: see TokenCoordinator+Events.
  var subscribers: [Subscriber] = []
  /// What was told last, by account.
  var standings: [String: AccountStanding] = [:]
  var changed: Set<String> = []
  /// Since when, Unix seconds; nil before the start and after the end.
  var observedSince: Int?
  /// What has failed since, by account; nil is the keyring.
  var hasFailed: Set<String?> = []
  var publication: Task<Void, Never>?
  var eventAlarm: Task<Void, Never>?

  // Telling the person: see TokenCoordinator+Notices.
  var board: NoticeBoard
  var reminder: Task<Void, Never>?
  var reminderAt: ContinuousClock.Instant?

  // The keyring: see TokenCoordinator+Keyring.
  var loading: Task<Void, Never>?
  var isLoaded = false
  var keyring: KeyringStatus { didSet { keyringChanged(from: oldValue.state) } }
  /// The sessions of accounts that the keyring has a record for and the configuration does not name.
  var orphans: [String: UserSession] = [:]
  /// The last change to the keyring that each account waits for.
  var turns: [String: Task<StoreError?, Never>] = [:]
  /// Sessions of each account that a sign-in here has taken the place of, while the keyring may still have their record.
  var replaced: [String: Set<SessionID>] = [:]
  /// Sessions whose newest record is being saved again and again.
  var saving: [SessionID: Task<Void, Never>] = [:]

  // Ended sessions: see TokenCoordinator+Logout.
  var outbox: [SessionID: OutboxEntry] = [:]
  /// Sessions that have ended and are not in the outbox yet.
  var ending: Set<SessionID> = []
  /// Notes of ended sessions whose records are still in the keyring.
  var owedRemovals: Set<EndedSession> = []
  /// While everything is taken out of the keyring.
  var isPurging = false
  var settling: Task<Void, Never>?
  var isSettling = false

  package init(
    executor: any SerialExecutor, configuration: Configuration, configurationError: ConfigurationError? = nil,
    provider: any IdentityProvider & SignInProvider, redirects: any RedirectListener,
    store: any SessionStore & PersonStore & StoreProbe & StoreRemoval, clientSecrets: any ClientSecretStore,
    endedSessions: any EndedSessions,
    intents: any RefreshIntents, source: any ConfigurationSource, time: any TimeSource, digest: any Digest,
    fingerprints: any Fingerprints, prompt: any ConfirmationPrompt, hook: any EventHook,
    display: any NoticeDisplay, log: any EventLog, locksMemory: Bool = true,
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    checkpoint: @escaping @Sendable (RefreshStep) -> Void = { _ in },
    signedInChanged: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.executor = executor
    self.configurationError = configurationError
    self.provider = provider
    signIns = provider
    self.redirects = redirects
    self.store = store
    storage = configuration.storage
    persons = store
    self.clientSecrets = clientSecrets
    self.endedSessions = endedSessions
    self.intents = intents
    self.source = source
    self.time = time
    self.digest = digest
    self.fingerprints = fingerprints
    self.prompt = prompt
    self.hook = hook
    self.display = display
    self.log = log
    self.locksMemory = locksMemory
    self.random = random
    self.checkpoint = checkpoint
    self.signedInChanged = signedInChanged
    keyring = KeyringStatus(state: .ok, since: time.wall, message: storage.inWords)
    providers = configuration.providers
    descriptions = configuration.descriptions
    caFile = configuration.caFile
    uses = configuration.uses
    notices = configuration.notices
    board = NoticeBoard(configuration.notices)
    slots = configuration.accounts.mapValues { AccountSlot(account: $0, wall: time.wall) }
  }

  /// Begins to read the keyring. Everything is answered meanwhile; what needs the keyring waits for it.
  package func start() {
    beginObserving()
    Task { await self.loadUntilDone() }
  }

  /// Ends what is under way: whoever waits is told `shutting_down`, sign-ins are given up, and what a provider has
  /// granted, or may have, is waited for until it is stored. Bounded by the deadlines of the provider and of the keyring.
  /// What is in memory is handed out until the end.
  package func stop() async {
    isStopping = true
    endSubscriptions()
    endReminders()
    writeCounts()
    planned?.cancel()
    for awaited in Array(waiters.keys) { wake(awaited, .shuttingDown) }
    for id in Array(admissions.keys) { withdraw(id) }
    for name in Array(slots.keys) { abandonLogin(of: name, .shuttingDown) }
    for slot in Array(slots.values) { await slot.login?.task.value }
    for flight in Array(flights.values) { await flight.value }
    for save in Array(saving.values) { save.cancel() }
    settling?.cancel()
    await saveUnsaved()
  }

  /// The slot of a configured account. Throws `unknown_account`, `config_error` or `shutting_down`.
  func slot(_ name: String) throws(ReplyError) -> AccountSlot {
    if isStopping { throw .shuttingDown }
    if let configurationError { throw configurationError.reply }
    if isPurging { throw .purging }
    // Names are compared as bytes, and Swift takes a Kelvin sign for a K; what it takes for a letter is never as short.
    guard let slot = slots[name], slot.account.name.utf8.count == name.utf8.count else {
      throw ReplyError(
        .unknownAccount, "\(name.isEmpty ? "\"\"" : name.excerpt): no such account in the configuration",
        hint: name.isEmpty
          ? "keyrack status lists the accounts" : "add [account \(name.excerpt)] to keyrack.conf, then keyrack reload")
    }
    return slot
  }

  /// The session of an account, configured or not.
  func heldSession(of name: String) -> UserSession? { slots[name]?.session ?? orphans[name] }

  /// The same if it still is the one with that id; else what is written here goes nowhere.
  subscript(id: SessionID, of name: String) -> UserSession? {
    get { heldSession(of: name).flatMap { $0.id == id ? $0 : nil } }
    set {
      if slots[name]?.session?.id == id {
        slots[name]?.session = newValue
      } else if orphans[name]?.id == id {
        orphans[name] = newValue
      }
    }
  }

  /// How many accounts have a session.
  package var signedIn: Int { slots.values.count { $0.session != nil } }

  func countSignedIn() {
    guard signedIn != lastSignedIn else { return }
    lastSignedIn = signedIn
    signedInChanged(signedIn)
  }
}

extension ReplyError {
  static let shuttingDown = ReplyError(.shuttingDown, "keyrackd is stopping", hint: "ask again in a moment")
}

extension ConfigurationError {
  package var reply: ReplyError { ReplyError(.configError, message, hint: hint ?? "mend it, then keyrack reload") }
}

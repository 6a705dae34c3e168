import Glibc
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Synchronization

/// The parts of `keyrackd` and how they are wired. Nothing is decided here.
final class Daemon {
  /// Stopping takes at most this long; the service unit allows a little more.
  private static let stopLimit = Duration.seconds(40)
  /// Clients that do not read their replies are waited for no longer.
  private static let drainLimit = Duration.seconds(2)

  private let loop: EventLoop
  private let log: Log
  private let http: HTTPClient
  private let coordinator: TokenCoordinator
  private let server: SocketServer
  private let problem: ConfigurationError?
  private let locksMemory: Bool
  private var isStopping = false
  private var stopTimer: EventLoop.Timer?

  init(
    loop: EventLoop, files: ConfigurationFiles, configuration: Configuration, problem: ConfigurationError?
  ) throws {
    self.loop = loop
    self.problem = problem
    // Before there is a secret.
    let memory = LockedMemory()
    if let memory { Secret.keep(in: memory) }
    locksMemory = memory != nil
    log = try Log()
    http = try HTTPClient()
    let state = try StateDirectory(log: log)
    let store = try Self.store(configuration.storage, log)
    let secrets = ClientSecrets(source: store)
    let signatures = try ThreadExecutor(name: "signatures")
    let provider = ProviderClient(
      http: http, secrets: secrets, signer: ClientSigner(thread: signatures),
      idTokens: IDTokenVerifier(http: http, thread: signatures))
    let callbacks = Callbacks()
    let coordinator = TokenCoordinator(
      executor: loop, configuration: configuration, configurationError: problem, provider: provider,
      redirects: LoopbackListener(on: loop) { await callbacks.take($0, at: $1) }, store: store,
      clientSecrets: secrets,
      endedSessions: state, intents: state,
      source: files, time: loop, digest: GLibDigest(), fingerprints: KeyedFingerprints(),
      prompt: Askpass(), hook: EventCommand(log: log), display: DesktopNotifications(log: log), log: log,
      locksMemory: locksMemory,
      checkpoint: CrashPoint.reached,
      signedInChanged: { Self.tell($0) })
    callbacks.coordinator.withLock { $0 = coordinator }
    self.coordinator = coordinator
    server = SocketServer(on: loop, responder: Responder(coordinator: coordinator))
  }

  private static func store(_ storage: Configuration.Storage, _ log: Log) throws -> any SecretStore {
    switch storage {
    case .keyring: try Keyring(helper: InstalledFile.keyringHelper, log: log)
    case .memory: MemoryStore()
    }
  }

  /// Serves until a signal ends it. Returns the exit status.
  func run(_ listener: ListeningSocket) throws -> Int32 {
    try server.assumeIsolated { try $0.start(listeningOn: listener.descriptor) }
    let signals = try EventLoop.Signals(loop) { [unowned self] in received($0) }
    defer { withExtendedLifetime(signals) {} }
    if let problem { log.record(Event(.configurationRefused, problem.message)) }
    if !locksMemory { log.record(Event(.started, "cannot lock memory: tokens may be swapped out", level: .warning)) }
    log.record(Event(.started, "keyrackd \(Keyrack.version) serves"))
    ServiceManager.ready(problem.map { "configuration: \($0.message)" } ?? Self.status(0))
    coordinator.assumeIsolated { $0.start() }
    StartupMemory.release()
    let status = try loop.run()
    log.flush()
    return status
  }

  private func received(_ signal: Int32) {
    if signal == SIGHUP { reload() } else { stop() }
  }

  private func reload() {
    ServiceManager.reloading()
    let coordinator = coordinator
    Task { @Sendable in await Self.reload(coordinator) }
  }

  private static func reload(_ coordinator: TokenCoordinator) async {
    switch await coordinator.reload() {
    case .success: ServiceManager.ready(status(await coordinator.signedIn))
    case .failure(let error): ServiceManager.ready("configuration not read: \(error.message)")
    }
  }

  /// A refresh that was sent is stored before the end; whoever waits is told at once, and who comes now is left
  /// to the next daemon.
  private func stop() {
    if isStopping { return }
    isStopping = true
    ServiceManager.stopping()
    log.record(Event(.stopping, "stopping"))
    server.assumeIsolated { $0.stopAccepting() }
    stopTimer = EventLoop.Timer(loop) { [loop] in loop.stop(0) }
    do { try stopTimer?.set(.now + Self.stopLimit) } catch { loop.stop(1) }
    let (coordinator, server, loop) = (coordinator, server, loop)
    Task { @Sendable in
      await coordinator.stop()
      await server.drain(until: .now + Self.drainLimit)
      await coordinator.writeCounts()
      loop.stop(0)
    }
  }

  private static func tell(_ signedIn: Int) { ServiceManager.status(status(signedIn)) }

  private static func status(_ signedIn: Int) -> String { "\(signedIn) signed in" }
}

/// Hands what browsers bring to the coordinator, which is made after the listener that it opens.
private final class Callbacks: Sendable {
  let coordinator = Mutex<TokenCoordinator?>(nil)

  func take(_ response: AuthorizationResponse, at redirectURI: String) async -> CallbackPage {
    guard let coordinator = coordinator.withLock({ $0 }) else { return .unknownState }
    return await coordinator.authorizationResponded(response, at: redirectURI)
  }
}

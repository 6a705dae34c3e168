import CSystemd
import Glibc
package import KeyrackCore

/// Accepts the owner's clients on the listening socket and keeps their connections.
package actor SocketServer {
  /// Descriptors that are never given to clients: what the daemon needs for providers, the keyring, its files, and browsers
  /// that come back. There are a quarter of all, and at least these: any user of the machine may open 32 connections to
  /// each of the two sockets of a pending sign-in.
  private static let leastReserved = 64
  /// Sandboxes whose files are being read.
  private static let maximumLooks = 16

  private let loop: EventLoop
  private let responder: any LineResponder
  private let limits: ConnectionLimits
  private let owner: uid_t
  private let acceptClient: @Sendable (Int32) -> Int32

  private let lookup = CallerLookup()
  private let input = ReadBuffer()
  private var listener: EventLoop.Descriptor?
  private var pause: EventLoop.Timer?
  private lazy var sweep = DeadlineSweep(loop, tolerance: limits.tolerance) { [weak self] now in
    self?.assumeIsolated { $0.closeOverdue(now) }
  }
  private var connections: [ObjectIdentifier: Connection] = [:] {
    didSet { turn.connections(are: connections.count) }
  }
  private let turn: TurnLength
  private var connectionsOfProcess: [pid_t: Int] = [:]
  private var looks = 0
  private var drained: CheckedContinuation<Void, Never>?
  private var drainTimer: EventLoop.Timer?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// `owner` is the one user who may connect. `acceptClient` returns a descriptor, or -1 and `errno`.
  package init(
    on loop: EventLoop, responder: any LineResponder, limits: ConnectionLimits = ConnectionLimits(),
    owner: UInt32 = geteuid(), acceptClient: @escaping @Sendable (Int32) -> Int32 = { SocketServer.accept($0) }
  ) {
    self.loop = loop
    self.responder = responder
    self.owner = owner
    self.acceptClient = acceptClient
    var limits = limits
    // Each has one of its own and one for its process.
    limits.connections = min(limits.connections, max(1, Self.availableDescriptors() / 2))
    self.limits = limits
    turn = TurnLength(limits)
  }

  /// Number of clients.
  package var count: Int { connections.count }

  /// Takes over `descriptor`, a listening socket, and closes it in ``drain(until:)``.
  package func start(listeningOn descriptor: Int32) throws(SystemError) {
    pause = EventLoop.Timer(loop) { [weak self] in
      self?.assumeIsolated { $0.listener?.interest = .readable }
    }
    listener = try EventLoop.Descriptor(loop, owning: descriptor, interest: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.acceptNext() }
    }
  }

  /// Who connects from now on waits in the queue: for the next daemon, where systemd keeps the socket.
  package func stopAccepting() {
    listener?.close()
    pause?.cancel()
  }

  /// Accepts no more and reads no more; returns when all that was asked is answered, or at the deadline, and all
  /// connections are closed. Who has just connected may still ask.
  package func drain(until deadline: ContinuousClock.Instant) async {
    stopAccepting()
    for connection in Array(connections.values) { connection.drain(allowsFirstRequest: true) }
    if !connections.isEmpty { await waitForLastClient(until: min(deadline, .now + limits.firstRequest)) }
    for connection in Array(connections.values) { connection.drain() }
    if !connections.isEmpty { await waitForLastClient(until: deadline) }
    for connection in Array(connections.values) { connection.close() }
  }

  private func waitForLastClient(until deadline: ContinuousClock.Instant) async {
    let timer = EventLoop.Timer(loop) { [weak self] in self?.assumeIsolated { $0.finishDrain() } }
    drainTimer = timer
    await withCheckedContinuation { continuation in
      drained = continuation
      do { try timer.set(deadline) } catch { finishDrain() }
    }
  }

  private func finishDrain() {
    drained?.resume()
    drained = nil
    drainTimer = nil
  }

  private static func availableDescriptors() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    let all = Int(clamping: limit.rlim_cur)
    return max(1, all - max(leastReserved, all / 4))
  }
}

extension SocketServer {
  package static func accept(_ listener: Int32) -> Int32 {
    unsafe accept4(listener, __SOCKADDR_ARG(), nil, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
  }

  /// One of those that are waiting: the clients that are there already have a right to their turn.
  private func acceptNext() {
    guard let listener, !listener.isClosed else { return }
    let client = acceptClient(listener.number)
    if client >= 0 { return admit(client) }
    if ![EINTR, ECONNABORTED, EAGAIN].contains(errno) { rest(listener) }
  }

  /// Out of descriptors, most likely: the client stays in the queue, and asking at once would only spin.
  private func rest(_ listener: EventLoop.Descriptor) {
    listener.interest = []
    do { try pause?.set(.now + limits.acceptPause) } catch { listener.interest = .readable }
  }

  private func admit(_ client: Int32) {
    do throws(PeerProcess.Failure) {
      let peer = try PeerProcess(connectedTo: client)
      guard peer.user == owner else { return turnAway(client, of: peer.user) }
      let isOverLimit =
        connections.count >= limits.connections
        || connectionsOfProcess[peer.number, default: 0] >= limits.connectionsOfAProcess
      if isOverLimit { refuse(client, ErrorLine.busy) } else { open(client, peer) }
    } catch {
      switch error {
      case .unknown: close(client)
      case .noDescriptors: refuse(client, ErrorLine.busy)
      }
    }
  }

  private func open(_ client: Int32, _ peer: PeerProcess) {
    let connection = Connection(
      peer: peer, limits: limits, responder: responder, input: input, sweep: sweep, turn: turn
    ) { [weak self, loop = self.loop] connection in
      let connection = LoopBound(connection, on: loop)
      return self?.assumeIsolated { $0.identify(connection.value) }
    } onClose: { [weak self] connection in
      let connection = ObjectIdentifier(connection)
      self?.assumeIsolated { $0.forget(connection) }
    }
    connections[ObjectIdentifier(connection)] = connection
    connectionsOfProcess[peer.number, default: 0] += 1
    do { try connection.open(client, on: loop) } catch { forget(ObjectIdentifier(connection)) }
  }

  private func identify(_ connection: Connection) -> Caller? {
    do throws(PeerProcess.Failure) {
      switch try lookup.lookUp(connection.peer, on: connection.number) {
      case .found(let caller): return caller
      case .sandboxed(let sandbox): look(at: sandbox, for: connection)
      }
    } catch {
      connection.cutOff(ErrorLine.busy)
    }
    return nil
  }

  /// On a thread of its own, for the files of a sandbox may be such that reading never ends. Too many of these, and the
  /// next one is not asked what it is.
  private func look(at sandbox: Sandbox, for connection: Connection) {
    guard looks < Self.maximumLooks else { return connection.identified(as: .unknown) }
    looks += 1
    let connection = LoopBound(connection, on: loop)
    do {
      try Thread.start("sandbox") { [weak self] in
        let caller = sandbox.look()
        Task { await self?.looked(at: connection, caller) }
      }
    } catch {
      looked(at: connection, .unknown)
    }
  }

  private func looked(at connection: LoopBound<Connection>, _ caller: Caller) {
    looks -= 1
    connection.value.identified(as: caller)
  }

  /// Not counted. Root, which nothing keeps from connecting, is told why; others learn nothing.
  private func turnAway(_ client: Int32, of user: UInt32) {
    if user == 0 { refuse(client, ErrorLine.otherUser) } else { close(client) }
  }

  private func refuse(_ client: Int32, _ reply: [UInt8]) {
    var line = OutputBuffer()
    line.append(reply)
    // A new connection has room for it; should it not, the client sees the end of input.
    _ = line.send(to: client)
    input.discardInput(of: client)
    close(client)
  }

  private func forget(_ identifier: ObjectIdentifier) {
    guard let connection = connections.removeValue(forKey: identifier) else { return }
    let process = connection.peer.number
    let left = connectionsOfProcess[process, default: 1] - 1
    connectionsOfProcess[process] = left == 0 ? nil : left
    if connections.isEmpty { finishDrain() }
  }

  private func closeOverdue(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    var earliest: ContinuousClock.Instant?
    for connection in Array(connections.values) {
      guard let deadline = connection.deadline else { continue }
      if deadline <= now { connection.close() } else { earliest = min(earliest ?? deadline, deadline) }
    }
    return earliest
  }
}

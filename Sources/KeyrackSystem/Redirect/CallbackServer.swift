import CMicrohttpd
import CSystemd
import Glibc
import KeyrackCore

/// One listening socket in the hands of libmicrohttpd, which runs on the loop by its epoll descriptor.
///
/// On the loop's thread only. It lives until it is closed and its last connection has ended.
@safe final class CallbackServer {
  let port: UInt16

  private let loop: EventLoop
  private let limits: CallbackLimits
  private let receiver: AuthorizationResponseReceiver
  /// How often each is open.
  private var redirects: [OpenRedirect: Int] = [:]
  /// By the address that the library has for each.
  private var connections: [UInt: CallbackConnection] = [:]
  private var daemon: OpaquePointer?
  private var descriptor: EventLoop.Descriptor?
  private var timer: EventLoop.Timer?
  private var sweep: DeadlineSweep?
  private(set) var isClosed = false

  init(
    on loop: EventLoop, _ family: LoopbackSocket.Family, port: UInt16, limits: CallbackLimits,
    receiver: @escaping AuthorizationResponseReceiver
  ) throws(LoopbackSocket.Failure) {
    self.loop = loop
    self.limits = limits
    self.receiver = receiver
    let socket = try LoopbackSocket(family, port: port)
    self.port = socket.port
    do throws(SystemError) { try start(socket.descriptor) } catch { throw .failed(error) }
  }

  func open(_ redirect: OpenRedirect) { redirects[redirect, default: 0] += 1 }

  /// Closes the socket with the last of them.
  func close(_ redirectURI: String) {
    guard let (redirect, count) = redirects.first(where: { $0.key.uri == redirectURI }) else { return }
    redirects[redirect] = count == 1 ? nil : count - 1
    if redirects.isEmpty { close() }
  }

  /// Nobody is let in any more; who waits for the receiver still gets the answer.
  func close() {
    guard !isClosed, let daemon = unsafe daemon else { return }
    isClosed = true
    let listener = unsafe MHD_quiesce_daemon(daemon)
    if listener >= 0 { Glibc.close(listener) }
    for connection in connections.values {
      if case .reading = connection.state { connection.shutDown() }
    }
    run()
  }
}

// MARK: On the loop

extension CallbackServer {
  /// Takes over `listener`.
  private func start(_ listener: Int32) throws(SystemError) {
    // Given back in `end`.
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let seconds = UInt32(limits.connection.components.seconds) + 1
    // Room for a head and its parts, and for the head of the answer.
    let memory = 3 * CallbackLimits.head
    let daemon = unsafe keyrack_mhd_start(
      listener, UInt32(limits.connections), seconds, memory, requestCame, targetCame, connectionChanged, context)
    guard let daemon = unsafe daemon else {
      Glibc.close(listener)
      unsafe Unmanaged<CallbackServer>.fromOpaque(context).release()
      throw SystemError("could not start the loopback listener")
    }
    unsafe self.daemon = daemon
    do throws(SystemError) { unsafe try watch(daemon) } catch {
      end()
      throw error
    }
  }

  private func watch(_ daemon: OpaquePointer) throws(SystemError) {
    // The library closes its own.
    let number = unsafe fcntl(keyrack_mhd_epoll_descriptor(daemon), F_DUPFD_CLOEXEC, 0)
    if number < 0 { throw SystemError("watch the loopback listener", code: errno) }
    timer = EventLoop.Timer(loop) { [weak self] in self?.run() }
    sweep = DeadlineSweep(loop, tolerance: .milliseconds(200)) { [weak self] now in self?.endOverdue(now) }
    descriptor = try EventLoop.Descriptor(loop, owning: number, interest: .readable) { [weak self] _ in self?.run() }
  }

  /// Never from a callback of the library.
  private func run() {
    guard let daemon = unsafe daemon else { return }
    unsafe MHD_run(daemon)
    if isClosed && connections.isEmpty { return end() }
    var milliseconds: UInt64 = 0
    if unsafe MHD_get_timeout(daemon, &milliseconds) == .YES {
      try? timer?.set(.now + .milliseconds(Int64(clamping: milliseconds)))
    } else {
      timer?.cancel()
    }
  }

  private func end() {
    guard let daemon = unsafe daemon else { return }
    unsafe self.daemon = nil
    descriptor?.close()
    timer = nil
    sweep = nil
    unsafe MHD_stop_daemon(daemon)
    unsafe Unmanaged.passUnretained(self).release()
  }

  /// The library's own limit is for silence, and a byte now and then is none.
  private func endOverdue(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    var earliest: ContinuousClock.Instant?
    for connection in connections.values {
      guard let deadline = connection.deadline else { continue }
      if deadline <= now { connection.shutDown() } else { earliest = min(earliest ?? deadline, deadline) }
    }
    return earliest
  }
}

// MARK: Requests

extension CallbackServer {
  fileprivate func connected(_ pointer: OpaquePointer) {
    let deadline = ContinuousClock.now + limits.connection
    connections[UInt(bitPattern: pointer)] = unsafe CallbackConnection(pointer, deadline: deadline)
    sweep?.note(deadline)
  }

  fileprivate func disconnected(_ address: UInt) { connections.removeValue(forKey: address)?.state = .closed }

  fileprivate func take(target: String, of address: UInt) { connections[address]?.target = target }

  /// Called with the head, with each part of the body, at the end, and again when the receiver has decided. False where
  /// the connection is to be closed.
  fileprivate func take(_ method: String, body: UnsafeRawBufferPointer, of address: UInt) -> Bool {
    guard let connection = connections[address] else { return false }
    switch connection.state {
    case .reading: break
    case .decided(let answer): return connection.send(answer)
    case .deciding, .closed: return false
    }
    guard let request = connection.request else {
      connection.begin(method)
      return true
    }
    if unsafe !body.isEmpty { return unsafe connection.request?.append(body) ?? false }
    switch request.judged(by: redirects.keys) {
    case .answer(let answer): return connection.send(answer)
    case .response(let response, let redirectURI):
      ask(response, redirectURI, for: connection)
      return true
    }
  }

  private func ask(_ response: AuthorizationResponse, _ redirectURI: String, for connection: CallbackConnection) {
    let code = response.code.map { [$0] } ?? []
    let finish = LoopBound(
      { [self] (page: CallbackPage) in decided(CallbackAnswer(page, withholding: code), for: connection) }, on: loop)
    let timer = EventLoop.Timer(loop) { finish.value(.working) }
    connection.state = .deciding(timer)
    connection.deadline = nil
    connection.suspend()
    try? timer.set(.now + limits.decision)
    let (loop, receiver) = (loop, receiver)
    // Never canceled: what it does counts, whether the browser waits for it or not.
    Task { @Sendable in
      let page = await receiver(response, redirectURI)
      loop.perform { finish.value(page) }
    }
  }

  private func decided(_ answer: CallbackAnswer, for connection: CallbackConnection) {
    // The receiver after the timer, or the other way round.
    guard case .deciding(let timer) = connection.state else { return }
    timer.cancel()
    let deadline = ContinuousClock.now + limits.connection
    connection.state = .decided(answer)
    connection.deadline = deadline
    sweep?.note(deadline)
    connection.resume()
    run()
  }
}

// MARK: Callbacks

extension CallbackServer {
  fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> CallbackServer? {
    unsafe context.map { unsafe Unmanaged<CallbackServer>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let requestCame: MHD_AccessHandlerCallback = { context, connection, _, method, _, body, size, _ in
  guard let server = unsafe CallbackServer.of(context), let connection = unsafe connection,
    let method = unsafe method, let size = unsafe size
  else { return .NO }
  let bytes = unsafe UnsafeRawBufferPointer(start: body, count: size.pointee)
  let goesOn = unsafe server.take(String(cString: method), body: bytes, of: UInt(bitPattern: connection))
  unsafe size.pointee = 0
  return goesOn ? .YES : .NO
}

private func targetCame(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  if let target = unsafe target, let connection = unsafe connection {
    unsafe CallbackServer.of(context)?.take(target: String(cString: target), of: UInt(bitPattern: connection))
  }
  return nil
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, what in
  guard let server = unsafe CallbackServer.of(context), let connection = unsafe connection else { return }
  if what == .CONNECTION_NOTIFY_STARTED {
    unsafe server.connected(connection)
  } else {
    server.disconnected(UInt(bitPattern: connection))
  }
}

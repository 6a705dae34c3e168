import Glibc
public import KeyrackProtocol

/// A connection to the `keyrackd` of this user.
///
/// Calls block, one after the other, and each ends in bounded time. Where the daemon says no, the `ReplyError` is thrown
/// as it came: its `code` is what to decide by. Where there is no answer a ``ClientError`` is thrown, and the connection
/// is of no further use. A daemon that is being restarted is waited for, by operations that only ask.
///
///     import KeyrackClient
///     import KeyrackProtocol
///
///     do {
///       let reply = try Client().call(TokenOperation(account: "work"))
///       request.setHeader("Authorization", bearer: reply.token.bytes)
///     } catch let error as ReplyError where error.code == .loginRequired {
///       print("sign in first: \(error.hint ?? error.message)")
///     }
///
/// A server that refuses the token although it has not expired is told by asking again with `rejected:`.
public final class Client {
  /// The longest reply, in bytes.
  private static let maximumReply = 1 << 20
  private static let connectLimit = Duration.seconds(5)

  /// Where it is connected.
  public let path: String
  /// Nil once a call failed: what comes later could be the answer to that one.
  private var socket: UnixSocket?
  private var buffer = LineBuffer(maximumLength: Client.maximumReply)

  /// Connects to `$KEYRACK_SOCKET`, else to `$XDG_RUNTIME_DIR/keyrack/keyrack.sock`.
  public convenience init() throws(ClientError) { try self.init(path: SocketPath.fromEnvironment()) }

  /// Where ``init()`` connects to, whether there is anything or not.
  public static func usualPath() throws(ClientError) -> String { try SocketPath.fromEnvironment() }

  /// Connects to the socket at `path`.
  ///
  /// Throws where nobody listens there or somebody else does: the socket of another user is not used.
  public init(path: String) throws(ClientError) {
    self.path = path
    socket = try Self.connect(path)
  }

  private static func connect(_ path: String) throws(ClientError) -> UnixSocket {
    do {
      let socket = try UnixSocket(path: path, deadline: .now + connectLimit)
      let peer = try socket.peerUser()
      guard peer == getuid() else { throw ClientError.foreignSocket(path: path, user: peer) }
      return socket
    } catch let error as ClientError {
      throw error
    } catch SocketFailure.system(ENOENT), SocketFailure.system(ECONNREFUSED), SocketFailure.system(ENOTDIR) {
      throw .notRunning(path: path)
    } catch SocketFailure.system(let code) {
      throw .cannotConnect(path: path, reason: unsafe String(cString: strerror(code)))
    } catch {
      throw .noAnswer(path: path, seconds: Int(connectLimit.components.seconds))
    }
  }

  /// Sends an operation and waits for its reply, as long as the operation may take unless `limit` says otherwise.
  ///
  /// Throws `ReplyError` where the daemon refuses and ``ClientError`` where it does not answer.
  public func call<O: Operation>(_ operation: O, within limit: Duration? = nil) throws -> O.Reply {
    try answer(to: operation, within: limit).result.get()
  }

  /// The same for those who want the line itself, or the daemon's refusal as a value.
  public func answer<O: Operation>(
    to operation: O, within limit: Duration? = nil
  ) throws(ClientError) -> Answer<O.Reply> {
    do {
      return try answer(to: operation, within: limit) { _ in }
    } catch let error as ClientError {
      throw error
    } catch {
      // The closure throws nothing.
      throw .connectionLost(path: path)
    }
  }

  /// The same for a sign-in, with what is asked of the person on the way to its reply. The connection is of no further
  /// use where `event` throws.
  public func answer<O: Operation>(
    to operation: O, within limit: Duration? = nil, event: (LoginEvent) throws -> Void
  ) throws -> Answer<O.Reply> {
    let limit = limit ?? operation.timeLimit
    do {
      return try exchangeAcrossRestarts(operation, deadline: .now + limit, event)
    } catch SocketFailure.deadline {
      throw ClientError.noAnswer(path: path, seconds: Int(limit.components.seconds))
    } catch SocketFailure.system {
      throw ClientError.connectionLost(path: path)
    }
  }

  /// The next event after the answer to a `SubscribeOperation`, and its line; nil where none has come by then. Kinds that
  /// are newer than this library are passed over.
  public func nextEvent(
    before deadline: ContinuousClock.Instant? = nil
  ) throws(ClientError) -> (event: SessionEvent, line: Secret)? {
    guard let socket else { throw .connectionLost(path: path) }
    while true {
      switch buffer.next() {
      case .line(let line):
        if let event = SessionEvent(line: line) { return (event, Secret(line)) }
      case .tooLong: throw .protocolViolation(path: path, what: "a line of more than \(Self.maximumReply) bytes")
      case .incomplete:
        do {
          let bytes = try socket.receive(deadline: deadline ?? .now + .seconds(86_400))
          if bytes.isEmpty { throw SocketFailure.system(EPIPE) }
          buffer.append(bytes)
        } catch SocketFailure.deadline {
          if deadline != nil { return nil }
        } catch {
          self.socket = nil
          throw .connectionLost(path: path)
        }
      }
    }
  }

  /// Whether the last call left a connection that can be used.
  var isConnected: Bool { socket != nil }

  /// False where nobody listens any more.
  func reconnect() -> Bool {
    guard let next = try? Self.connect(path) else { return false }
    socket = next
    buffer = LineBuffer(maximumLength: Self.maximumReply)
    return true
  }

  func exchange<O: Operation>(
    _ operation: O, deadline: ContinuousClock.Instant, _ event: (LoginEvent) throws -> Void
  ) throws -> Answer<O.Reply> {
    guard let socket = socket.take() else { throw ClientError.connectionLost(path: path) }
    try send(operation, on: socket, deadline: deadline)
    let (line, reply): ([UInt8], Reply<O.Reply>) = try receive(on: socket, deadline: deadline, event)
    self.socket = socket
    return Answer(line: Secret(line), result: reply.result)
  }

  private func send(_ operation: some Operation, on socket: UnixSocket, deadline: ContinuousClock.Instant) throws {
    var line = operation.line()
    defer { Self.wipe(&line) }
    try Self.send(line, on: socket, deadline: deadline)
  }

  private static func send(_ line: [UInt8], on socket: UnixSocket, deadline: ContinuousClock.Instant) throws {
    do { try socket.send(line, deadline: deadline) } catch SocketFailure.system(EPIPE) {
      // A daemon that is full says so unasked and closes: the reason is there to be read.
    } catch SocketFailure.system(ECONNRESET) {
      // The same.
    }
  }

  /// A request may hold a password. explicit_bzero() is not optimised away.
  private static func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes {
      guard let start = $0.baseAddress else { return }
      unsafe explicit_bzero(start, $0.count)
    }
  }

  private func receive<Body: Decodable & JSONObject & Sendable>(
    on socket: UnixSocket, deadline: ContinuousClock.Instant, _ event: (LoginEvent) throws -> Void
  ) throws -> ([UInt8], Reply<Body>) {
    while true {
      switch buffer.next() {
      case .line(let line):
        guard Self.isEvent(line) else { return (line, try read(line)) }
        // Others than these answer nothing.
        if let known = LoginEvent(line: line) { try event(known) }
      case .tooLong:
        throw ClientError.protocolViolation(path: path, what: "a line of more than \(Self.maximumReply) bytes")
      case .incomplete:
        let bytes = try socket.receive(deadline: deadline)
        if bytes.isEmpty { throw ClientError.connectionLost(path: path) }
        buffer.append(bytes)
      }
    }
  }

  /// The reply is still to come.
  private static func isEvent(_ line: [UInt8]) -> Bool { has("event", line) }

  private static func has(_ member: String, _ line: [UInt8]) -> Bool {
    (try? JSONScan(line))?.members.contains { $0.name == member } == true
  }

  private func read<Body>(_ line: [UInt8]) throws -> Reply<Body> {
    do { return try Reply<Body>(line: line) } catch {
      if Self.has("ok", line) { throw ClientError.unknownReply(path: path) }
      // Not the line itself: it may hold a token.
      throw ClientError.protocolViolation(path: path, what: "a line that is no reply")
    }
  }
}

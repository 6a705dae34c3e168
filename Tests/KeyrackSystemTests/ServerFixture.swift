import Glibc
import KeyrackSystem

/// A socket server with a ``ScriptedResponder``, on a loop of its own.
final class ServerFixture: Sendable {
  let thread: LoopThread
  let server: SocketServer
  let responder = ScriptedResponder()
  let directory: TemporaryDirectory
  let socket: ListeningSocket
  var path: String { directory.path + "/k.sock" }

  init(
    limits: ConnectionLimits = ConnectionLimits(), owner: UInt32 = geteuid(),
    accept: @escaping @Sendable (Int32) -> Int32 = { SocketServer.accept($0) }
  ) async throws {
    thread = try await LoopThread()
    directory = try TemporaryDirectory()
    socket = try ListeningSocket.bind(SocketPath(directory.path + "/k.sock"))
    server = SocketServer(on: thread.loop, responder: responder, limits: limits, owner: owner, acceptClient: accept)
    try await server.start(listeningOn: socket.descriptor)
  }

  /// Runs a client's part on a thread.
  func client<Value: Sendable>(_ body: @escaping @Sendable (TestClient) throws -> Value) async throws -> Value {
    let path = path
    return try await onThread { try body(TestClient(path)) }
  }

  /// The same with a connection that is kept.
  func connect() throws -> TestClient { try TestClient(path) }
}

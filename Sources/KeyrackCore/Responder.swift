import KeyrackProtocol

/// Answers the lines of the socket: reads the request, has the coordinator do it, writes the reply.
package struct Responder: LineResponder {
  private let coordinator: TokenCoordinator
  private let reader = RequestReader()

  package init(coordinator: TokenCoordinator) { self.coordinator = coordinator }

  /// On the coordinator's executor. A token in memory is answered before this returns.
  package func respond(to line: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void) {
    var line = line
    let request: Request
    do throws(RequestError) { request = try reader.read(&line) } catch {
      return reply(Self.line(Reply<VersionOperation.Reply>(id: error.id, result: .failure(error.error))))
    }
    if case .token(let token) = request.call, let result = coordinator.assumeIsolated({ $0.tokenAtOnce(token) }) {
      return reply(Self.line(Reply(id: request.id, result: result)))
    }
    Task { await Self.answer(request, by: coordinator, reply) }
  }

  /// On the coordinator's executor, which is where a reply has to be given.
  private static func answer(
    _ request: Request, by coordinator: isolated TokenCoordinator, _ reply: @Sendable ([UInt8]) -> Void
  ) async {
    let id = request.id
    switch request.call {
    case .version: reply(line(Reply(id: id, result: .success(version))))
    case .login(let login): reply(line(Reply(id: id, result: await coordinator.login(login))))
    case .cancel(let cancel): reply(line(Reply(id: id, result: coordinator.cancel(cancel))))
    case .logout(let logout): reply(line(Reply(id: id, result: await coordinator.logout(logout))))
    case .token(let token): reply(line(Reply(id: id, result: await coordinator.token(token))))
    case .status(let status): reply(line(Reply(id: id, result: coordinator.status(status))))
    case .reload: reply(line(Reply(id: id, result: await coordinator.reload())))
    }
  }

  private static let version = VersionOperation.Reply(
    name: "keyrackd", version: Keyrack.version, protocol: Keyrack.protocolVersion,
    operations: OperationName.allCases)

  private static func line<Body>(_ reply: Reply<Body>) -> [UInt8] {
    // Encoding fails for kinds of values only that no reply has; a client is answered all the same.
    (try? reply.line())
      ?? Array("{\"ok\":false,\"error\":{\"code\":\"internal\",\"message\":\"no reply\",\"retryable\":false}}\n".utf8)
  }
}

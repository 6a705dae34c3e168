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
      return reply(Reply<VersionOperation.Reply>(id: error.id, result: .failure(error.error)).line())
    }
    if case .token(let token) = request.call, let result = coordinator.assumeIsolated({ $0.tokenAtOnce(token) }) {
      return reply(Reply(id: request.id, result: result).line())
    }
    Task { await Self.answer(request, by: coordinator, reply) }
  }

  /// On the coordinator's executor, which is where a reply has to be given.
  private static func answer(
    _ request: Request, by coordinator: isolated TokenCoordinator, _ reply: @Sendable ([UInt8]) -> Void
  ) async {
    let id = request.id
    switch request.call {
    case .version: reply(Reply(id: id, result: .success(version)).line())
    case .login(let login): reply(Reply(id: id, result: await coordinator.login(login)).line())
    case .cancel(let cancel): reply(Reply(id: id, result: coordinator.cancel(cancel)).line())
    case .logout(let logout): reply(Reply(id: id, result: await coordinator.logout(logout)).line())
    case .token(let token): reply(Reply(id: id, result: await coordinator.token(token)).line())
    case .status(let status): reply(Reply(id: id, result: coordinator.status(status)).line())
    case .reload: reply(Reply(id: id, result: await coordinator.reload()).line())
    }
  }

  private static let version = VersionOperation.Reply(
    name: "keyrackd", version: Keyrack.version, protocol: Keyrack.protocolVersion,
    operations: OperationName.allCases)

}

import KeyrackProtocol

/// Answers the lines of the socket: reads the request, has the coordinator do it, writes the reply.
package struct Responder: LineResponder {
  private let coordinator: TokenCoordinator
  private let reader = RequestReader()

  package init(coordinator: TokenCoordinator) { self.coordinator = coordinator }

  /// On the coordinator's executor. A token in memory is answered before this returns.
  package func respond(to line: [UInt8], send: @escaping @Sendable (AnswerLine) -> Void) {
    var line = line
    let request: Request
    do throws(RequestError) { request = try reader.read(&line) } catch {
      return send(.reply(Reply<VersionOperation.Reply>(id: error.id, result: .failure(error.error)).line()))
    }
    if case .token(let token) = request.call, let result = coordinator.assumeIsolated({ $0.tokenAtOnce(token) }) {
      return send(.reply(Reply(id: request.id, result: result).line()))
    }
    Task { await Self.answer(request, by: coordinator, send) }
  }

  /// On the coordinator's executor, which is where a reply has to be given.
  private static func answer(
    _ request: Request, by coordinator: isolated TokenCoordinator, _ send: @escaping @Sendable (AnswerLine) -> Void
  ) async {
    let id = request.id
    switch request.call {
    case .version: send(.reply(Reply(id: id, result: .success(version)).line()))
    case .login(let login):
      let result = await coordinator.login(login) { send(.event($0.line(id: id))) }
      send(.reply(Reply(id: id, result: result).line()))
    case .loginResponse(let response):
      send(.reply(Reply(id: id, result: coordinator.loginResponded(response)).line()))
    case .cancel(let cancel): send(.reply(Reply(id: id, result: coordinator.cancel(cancel)).line()))
    case .logout(let logout): send(.reply(Reply(id: id, result: await coordinator.logout(logout)).line()))
    case .token(let token): send(.reply(Reply(id: id, result: await coordinator.token(token)).line()))
    case .status(let status): send(.reply(Reply(id: id, result: coordinator.status(status)).line()))
    case .reload: send(.reply(Reply(id: id, result: await coordinator.reload()).line()))
    case .providers: send(.reply(Reply(id: id, result: coordinator.describeProviders()).line()))
    case .discover(let discover): send(.reply(Reply(id: id, result: await coordinator.discover(discover)).line()))
    case .register(let register): send(.reply(Reply(id: id, result: await coordinator.register(register)).line()))
    case .secret(let secret): send(.reply(Reply(id: id, result: await coordinator.keepSecret(secret)).line()))
    }
  }

  private static let version = VersionOperation.Reply(
    name: "keyrackd", version: Keyrack.version, protocol: Keyrack.protocolVersion,
    operations: OperationName.allCases)

}

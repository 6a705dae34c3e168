import KeyrackProtocol

/// Answers the lines of the socket: reads the request, has the coordinator do it, writes the reply.
package struct Responder: LineResponder {
  private let coordinator: TokenCoordinator
  private let reader = RequestReader()

  package init(coordinator: TokenCoordinator) { self.coordinator = coordinator }

  /// On the coordinator's executor. A token in memory is answered before this returns, and so is whoever may not have what
  /// it asks for.
  package func respond(
    to line: [UInt8], from caller: Caller, send: AnswerSink
  ) {
    var line = line
    let request: Request
    do throws(RequestError) { request = try reader.read(&line) } catch {
      return Self.refuse(error.error, id: error.id, send)
    }
    if case .token(let token) = request.call {
      if let result = coordinator.assumeIsolated({ $0.tokenAtOnce(token, by: caller) }) {
        send(.reply(Reply(id: request.id, result: result).line()))
        return
      }
    } else if let refusal = coordinator.assumeIsolated({ $0.refusal(of: request.call, by: caller) }) {
      return Self.refuse(refusal, id: request.id, send)
    }
    Task { await Self.answer(request, from: caller, by: coordinator, send) }
  }

  private static func refuse(_ error: ReplyError, id: RequestID?, _ send: AnswerSink) {
    send(.reply(Reply<VersionOperation.Reply>(id: id, result: .failure(error)).line()))
  }

  /// On the coordinator's executor, which is where a reply has to be given.
  private static func answer(
    _ request: Request, from caller: Caller, by coordinator: isolated TokenCoordinator,
    _ send: AnswerSink
  ) async {
    let id = request.id
    switch request.call {
    case .version: send(.reply(Reply(id: id, result: .success(version)).line()))
    case .login(let login):
      let result = await coordinator.login(login, by: caller) { send(.event($0.line(id: id))) }
      send(.reply(Reply(id: id, result: result).line()))
    case .loginResponse(let response):
      send(.reply(Reply(id: id, result: coordinator.loginResponded(response)).line()))
    case .cancel(let cancel): send(.reply(Reply(id: id, result: coordinator.cancel(cancel)).line()))
    case .logout(let logout): send(.reply(Reply(id: id, result: await coordinator.logout(logout, by: caller)).line()))
    case .token(let token): send(.reply(Reply(id: id, result: await coordinator.token(token, by: caller)).line()))
    case .status(let status): send(.reply(Reply(id: id, result: coordinator.status(status, by: caller)).line()))
    case .check: send(.reply(Reply(id: id, result: await coordinator.check(by: caller)).line()))
    case .subscribe(let subscribe): coordinator.subscribe(subscribe, id: id, by: caller, send)
    case .reload: send(.reply(Reply(id: id, result: await coordinator.reload(by: caller)).line()))
    case .providers: send(.reply(Reply(id: id, result: coordinator.describeProviders()).line()))
    case .discover(let discover): send(.reply(Reply(id: id, result: await coordinator.discover(discover)).line()))
    case .register(let register):
      send(.reply(Reply(id: id, result: await coordinator.register(register, by: caller)).line()))
    case .secret(let secret):
      send(.reply(Reply(id: id, result: await coordinator.keepSecret(secret, by: caller)).line()))
    case .resolve(let resolve): send(.reply(Reply(id: id, result: coordinator.resolve(resolve, by: caller)).line()))
    case .purge(let purge): send(.reply(Reply(id: id, result: await coordinator.purge(purge, by: caller)).line()))
    }
  }

  private static let version = VersionOperation.Reply(
    name: "keyrackd", version: Keyrack.version, protocol: Keyrack.protocolVersion,
    operations: OperationName.allCases)
}

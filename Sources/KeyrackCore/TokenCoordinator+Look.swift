import KeyrackProtocol

extension TokenCoordinator {
  /// Where the session of an account needs a sign-in, looks from time to time whether another daemon has brought it back,
  /// or has begun another. Whose the request is, is decided after that. Throws `session_ended` or `shutting_down`.
  func lookAgain(
    _ need: TokenRequirement, for name: String, before deadline: ContinuousClock.Instant
  ) async throws(ReplyError) {
    guard let id = slots[name]?.session?.id, let action = slots[name]?.session?.lookRequested(need, now: time.now)
    else { return }
    let end: ContinuousClock.Instant
    switch action {
    case .proceed: return
    case .wait(let patience): end = patience
    case .look(let patience):
      end = patience
      Task { await look(session: id, of: name) }
    }
    switch await wait(for: .look(id), before: min(end, deadline)) {
    // What a keyring says that is late counts for the next request.
    case .settled, .timedOut: return
    case .ended: throw .sessionEnded(name)
    case .shuttingDown: throw .shuttingDown
    }
  }

  /// Writes nothing and asks nobody: a refresh token that is dead is not worth a prompt.
  private func look(session id: SessionID, of name: String) async {
    let stored = try? await observed { () async throws(StoreError) in try await store.record(of: name, .never) }
    guard let session = self[id, of: name] else { return }
    // First: who waits for this does not wait for a session that ends by it.
    wake(.look(id), .settled)
    let isBack = self[id, of: name]?.looked(stored, wall: time.wall) ?? false
    if isBack {
      report(
        Event(.sessionAdopted, "another program has stored a newer refresh token", account: name, session: id))
    } else if let stored, stored.session != id, !hasEnded(stored), session.flight == nil,
      session.state(at: time.now) == .loginRequired
    {
      replace(id, by: stored)
      countSignedIn()
    }
  }
}

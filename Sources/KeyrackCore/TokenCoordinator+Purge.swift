package import KeyrackProtocol

/// `purge`: nothing of Keyrack's is left here, and nothing is to be revoked at the providers that can be.
extension TokenCoordinator {
  package func purge(
    _ request: PurgeOperation, by caller: Caller
  ) async -> Result<PurgeOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      guard request.confirm == true else {
        throw ReplyError(
          .badRequest, "confirm: has to be true, as every session ends and all in the keyring is removed",
          hint: "keyrack purge asks the person")
      }
      if isStopping { throw .shuttingDown }
      if let configurationError { throw configurationError.reply }
      if isPurging { throw .purging }
      isPurging = true
      defer { isPurging = false }
      return .success(try await purge(by: caller))
    } catch {
      return .failure(error)
    }
  }

  /// Nothing has changed where the keyring is out of reach at the beginning.
  private func purge(by caller: Caller) async throws(ReplyError) -> PurgeOperation.Reply {
    let items = try await withKeyring(Self.nothingChanged) { () async throws(StoreError) in try await store.count() }
    await load()
    if !isLoaded { throw .ofKeyring(keyring.error, Self.nothingChanged) }
    await endSignIns()
    // What cannot be read cannot be revoked.
    let unreadable = slots.values.count { $0.unusable != nil }
    let earlier = Array(outbox.keys)
    let outcomes = await endSessions(by: caller) + tellOf(earlier)
    try await withKeyring("every session has ended, and what is left goes with the next purge") {
      () async throws(StoreError) in try await store.removeAll()
    }
    await forgetAll()
    let revoked = outcomes.count { $0 }
    let reply = PurgeOperation.Reply(
      removed: items, revoked: revoked, failed: outcomes.count - revoked + unreadable)
    report(Event(.purged, "everything of Keyrack removed from the keyring by \(caller.program)", caller: caller))
    return reply
  }

  private static let nothingChanged = "nothing was changed"

  /// `consequence`: of a failure.
  private func withKeyring<Found: Sendable>(
    _ consequence: String, _ call: () async throws(StoreError) -> Found
  ) async throws(ReplyError) -> Found {
    do throws(StoreError) { return try await observed(call) } catch { throw .ofKeyring(error, consequence) }
  }

  /// One that has its grant already goes on to its end, which is soon.
  private func endSignIns() async {
    let tasks = slots.values.compactMap(\.login?.task)
    for name in Array(slots.keys) { _ = abandonLogin(of: name, .loginCanceled(name)) }
    for task in tasks { await task.value }
  }

  /// Of each session whether its provider has revoked it. All at once: one that hangs keeps no other from being told.
  private func endSessions(by caller: Caller) async -> [Bool] {
    var ends: [Task<Bool, Never>] = []
    for name in slots.filter({ $0.value.session != nil }).map(\.key) + orphans.keys {
      ends.append(Task { await endSession(of: name, by: caller) })
    }
    return await Self.values(of: ends)
  }

  private func endSession(of name: String, by caller: Caller) async -> Bool {
    guard let session = heldSession(of: name) else { return true }
    return await end(session, of: name, wait: true, by: caller).remote == .done
  }

  /// The same of what earlier sign-outs still owe.
  private func tellOf(_ owed: [SessionID]) async -> [Bool] {
    var attempts: [Task<Bool, Never>] = []
    for id in owed { attempts.append(Task { await deliverOnce(id) == .done }) }
    return await Self.values(of: attempts)
  }

  private static func values(of tasks: [Task<Bool, Never>]) async -> [Bool] {
    var values: [Bool] = []
    for task in tasks { values.append(await task.value) }
    return values
  }

  /// What is in memory and in the state directory.
  private func forgetAll() async {
    outbox = [:]
    ending = []
    lateTokens = [:]
    owedRemovals = []
    replaced = [:]
    for slot in slots.values {
      slot.unusable = nil
      slot.person = nil
    }
    await endedSessions.removeAll()
    await intents.removeAll()
  }
}

extension ReplyError {
  static let purging = ReplyError(
    .busy, "everything of Keyrack is being removed from the keyring", hint: "ask again in a moment", retryAfter: 1)

  /// Of the keyring as a whole.
  fileprivate static func ofKeyring(_ error: StoreError, _ consequence: String) -> ReplyError {
    switch error {
    case .locked: ReplyError(.keyringLocked, "the keyring is locked: \(consequence)", hint: "unlock it, then again")
    case .unavailable(let message):
      ReplyError(
        .keyringUnavailable, "there is no keyring (\(message)): \(consequence)", hint: StoreError.startHint)
    case .failed(let message):
      ReplyError(.keyringError, "the keyring failed (\(message)): \(consequence)", hint: "keyrack check")
    case .unusable, .conflict:
      ReplyError(.keyringError, "the keyring has changed meanwhile: \(consequence)", hint: "keyrack purge")
    }
  }
}

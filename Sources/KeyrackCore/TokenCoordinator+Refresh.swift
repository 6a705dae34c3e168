import KeyrackProtocol

extension TokenCoordinator {
  /// Begins the refresh that ``UserSession/tokenRequested(_:now:)`` asked for. It belongs to the session, not to a
  /// caller, and goes on when everybody has left.
  func beginRefresh(_ attempt: Int, session id: SessionID, of name: String) {
    flights[id] = Task {
      await refresh(attempt, session: id, of: name)
      flights[id] = nil
      self[id, of: name]?.refreshEnded(attempt)
      wake(.refresh(id), .settled)
      countSignedIn()
    }
  }

  /// One refresh, in the order of REFRESH.md, section 1: keyring, provider, keyring, publish.
  private func refresh(_ attempt: Int, session id: SessionID, of name: String) async {
    guard let token = await tokenToSpend(attempt, session: id, of: name), let account = slots[name]?.account,
      self[id, of: name] != nil, !isStopping
    else { return }
    let sentAt = time.now
    let outcome: TokenOutcome
    if let wait = throttle(of: account.provider) {
      outcome = .throttled("the provider asked to slow down", retryAfter: wait)
    } else {
      outcome = await provider.refresh(token, for: .standard, account: account)
      noteThrottle(outcome, of: account.provider)
    }
    guard self[id, of: name] != nil else { return keepLate(outcome, session: id, account) }
    let action = self[id, of: name]?.refreshAnswered(
      outcome, attempt: attempt, sentAt: sentAt, now: time.now, wall: time.wall)
    if case .store(let record) = action { await storeRefreshed(record, attempt, account, outcome) }
    report(outcome, of: name, session: id)
  }

  /// Asks the keyring before a refresh token is spent, and takes a newer one that is there.
  private func tokenToSpend(_ attempt: Int, session id: SessionID, of name: String) async -> Secret? {
    guard let session = self[id, of: name] else { return nil }
    guard session.isRemembered else { return self[id, of: name]?.recordRead(nil, attempt: attempt) }
    do throws(StoreError) {
      if !session.isSaved { try await save(session.record) }
      let stored = try await observed { () async throws(StoreError) in try await store.record(of: name) }
      guard self[id, of: name] != nil else { return nil }
      self[id, of: name]?.saved(session.record)
      if let stored, stored.session != id, !hasEnded(stored) { return replace(id, by: stored) }
      return self[id, of: name]?.recordRead(stored, attempt: attempt)
    } catch {
      guard self[id, of: name] != nil else { return nil }
      _ = self[id, of: name]?.keyringFailed(error, attempt: attempt, wall: time.wall)
      log.record(.warning, "refresh_failed", account: name, "not refreshed: \(ReplyError.keyring(name, error).message)")
      return nil
    }
  }

  /// Another daemon has signed in to this account: its session is the one that counts.
  private func replace(_ id: SessionID, by stored: SessionRecord) -> Secret? {
    log.record(.notice, "session_replaced", account: stored.account, "another program has stored a newer session")
    adopt(UserSession(kept: stored, now: time.now, wall: time.wall))
    wake(.refresh(id), .ended)
    return nil
  }

  /// Whether a record is what a session has left behind that was ended here.
  private func hasEnded(_ record: SessionRecord) -> Bool {
    ending.contains(record.session) || outbox[record.session] != nil || owedRemovals.contains { $0.covers(record) }
  }

  private func storeRefreshed(
    _ record: SessionRecord, _ attempt: Int, _ account: Account, _ outcome: TokenOutcome
  ) async {
    let name = account.name
    var failure: StoreError?
    do throws(StoreError) { try await save(record) } catch { failure = error }
    guard self[record.session, of: name] != nil else { return keepLate(outcome, session: record.session, account) }
    _ = self[record.session, of: name]?.stored(attempt, error: failure, wall: time.wall)
    if let failure { saveLater(record.session, of: name, failure) }
  }

  /// A token that came after its session had ended goes nowhere but to its revocation.
  private func keepLate(_ outcome: TokenOutcome, session id: SessionID, _ account: Account) {
    guard let tokens = outcome.minted else { return }
    if ending.contains(id) || outbox[id] != nil {
      lateTokens[id] = tokens
    } else {
      revokeUnwanted(tokens, session: id, account)
    }
  }

  private func report(_ outcome: TokenOutcome, of name: String, session id: SessionID) {
    switch outcome {
    case .success: log.record(.info, "refreshed", account: name, "access token refreshed")
    case .rejected(let rejection):
      log.record(.warning, "refresh_failed", account: name, "refresh failed: \(rejection.message)")
    case .throttled(let message, _), .notSent(let message), .unknown(let message):
      log.record(.warning, "refresh_failed", account: name, "refresh failed: \(message)")
    }
  }

  // MARK: Providers that ask to slow down

  /// How long a provider still wants to be left alone.
  func throttle(of provider: Provider) -> Duration? {
    guard let until = throttledUntil[provider.name], until > time.now else { return nil }
    return until - time.now
  }

  func noteThrottle(_ outcome: TokenOutcome, of provider: Provider) {
    guard case .throttled(_, let retryAfter?) = outcome else { return }
    throttledUntil[provider.name] = time.now + retryAfter
  }
}

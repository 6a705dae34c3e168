import KeyrackProtocol

extension TokenCoordinator {
  /// Begins the refresh with that number. It belongs to the session, not to a caller, and goes on when everybody has left.
  func beginRefresh(_ attempt: Int, session id: SessionID, of name: String, isAwaited: Bool) {
    guard let account = slots[name]?.account else { return }
    if isAwaited { awaitedFlights.insert(id) }
    let previous = flights[id]
    flights[id] = Task {
      // The last step of the one before may still be under way: to forget its intent.
      await previous?.value
      if await admission(of: id, to: account.provider) {
        let slow = Task { await giveUpPlace(of: id) }
        await refresh(attempt, session: id, of: name)
        slow.cancel()
      }
      limiter.leave(id)
      self[id, of: name]?.refreshEnded(attempt)
      if self[id, of: name]?.flight == nil {
        flights[id] = nil
        awaitedFlights.remove(id)
      }
      wake(.refresh(id), .settled)
      checkpoint(.published)
      countSignedIn()
      admitNext()
      planRefresh(of: name)
    }
  }

  /// One refresh, in the order of REFRESH.md, section 1: keyring, intent, provider, keyring, publish.
  private func refresh(_ attempt: Int, session id: SessionID, of name: String) async {
    var wait: Duration? = .zero
    while let pause = wait {
      if pause > .zero { try? await time.sleep(until: time.now + pause) }
      wait = await refreshOnce(attempt, session: id, of: name)
    }
    // However it has ended: an intent that is left says that nobody knows what became of the refresh token.
    await clearIntent(session: id, of: name)
  }

  /// Returns after how long to do it once more, nil where the refresh has ended.
  private func refreshOnce(_ attempt: Int, session id: SessionID, of name: String) async -> Duration? {
    let isDenied = self[id, of: name]?.flight?.isDenied ?? false
    if isStopping || !isDenied && isPostponed(attempt, session: id, of: name) { return nil }
    guard let token = await tokenToSpend(attempt, session: id, of: name) else { return nil }
    checkpoint(.checked)
    await noteIntent(session: id, of: name)
    checkpoint(.intended)
    // What has been learned meanwhile counts: after this the token is spent.
    guard let session = self[id, of: name], let account = slots[name]?.account.completed(by: session.record.endpoints),
      let target = session.flight?.target,
      !session.isSetAside, !isStopping, !isPostponed(attempt, session: id, of: name)
    else { return nil }
    let sentAt = time.now
    self[id, of: name]?.refreshSent(attempt: attempt, now: sentAt)
    checkpoint(.sent)
    let omitsScope = self[id, of: name]?.flight?.omitsScope ?? false
    let asked = omitsScope ? account.withoutScopes : account
    let outcome = await provider.refresh(token, for: target, account: asked)
    checkpoint(.answered)
    note(outcome, of: account.provider)
    return await settle(outcome, attempt, session: id, account, sentAt: sentAt)
  }

  private func settle(
    _ outcome: TokenOutcome, _ attempt: Int, session id: SessionID, _ account: Account,
    sentAt: ContinuousClock.Instant
  ) async -> Duration? {
    let name = account.name
    guard self[id, of: name] != nil else {
      keepLate(outcome, session: id, account)
      return nil
    }
    let action = self[id, of: name]?.refreshAnswered(
      outcome, attempt: attempt, sentAt: sentAt, now: time.now, wall: time.wall, random: random())
    report(outcome, of: name, session: id)
    switch action {
    case .store(let record): await storeRefreshed(record, attempt, account, outcome)
    case .again(let pause): return pause
    case .settle, .ignore, nil: break
    }
    return nil
  }

  // MARK: The keyring

  /// Asks the keyring before a refresh token is spent, and takes a newer one that is there.
  private func tokenToSpend(_ attempt: Int, session id: SessionID, of name: String) async -> Secret? {
    guard let session = self[id, of: name] else { return nil }
    var stored: SessionRecord?
    do throws(StoreError) {
      if session.isRemembered {
        if !session.isSaved {
          try await save(session.record, overOthers: false)
          self[id, of: name]?.saved(session.record, wall: time.wall)
        }
        stored = try await readRecord(of: name)
      }
    } catch {
      guard self[id, of: name] != nil else { return nil }
      _ = self[id, of: name]?.keyringFailed(
        error, attempt: attempt, now: time.now, wall: time.wall, random: random())
      let message = "not refreshed: \(ReplyError.keyring(name, error).message(without: name))"
      report(Event(.refreshFailed, message, account: name, session: id))
      reportDenial(of: id, name)
      return nil
    }
    if let stored, stored.session != id, self[id, of: name] != nil, !hasEnded(stored) { return replace(id, by: stored) }
    switch self[id, of: name]?.recordRead(stored, attempt: attempt, wall: time.wall) {
    case .spend(let token): return token
    case .settle: reportDenial(of: id, name)
    case .ignore, nil: break
    }
    return nil
  }

  /// Nil also where there is one that makes no sense and may be written over: a session in memory knows better.
  func readRecord(of name: String) async throws(StoreError) -> SessionRecord? {
    do throws(StoreError) {
      return try await observed { () async throws(StoreError) in try await store.record(of: name) }
    } catch .unusable(let record) where record.isReplaceable {
      return nil
    }
  }

  /// Another daemon has signed in to this account: its session is the one that counts.
  @discardableResult
  func replace(_ id: SessionID, by stored: SessionRecord) -> Secret? {
    let message = "another program has stored a newer session"
    report(Event(.sessionAdopted, message, account: stored.account, session: stored.session))
    let replaced = self[id, of: stored.account]
    adopt(UserSession(kept: stored, now: time.now, wall: time.wall, boot: time.boot))
    if let replaced { release(replaced) }
    return nil
  }

  /// Whether a record is what a session has left behind that was ended here.
  func hasEnded(_ record: SessionRecord) -> Bool {
    ending.contains(record.session) || outbox[record.session] != nil || owedRemovals.contains { $0.covers(record) }
      || replaced[record.account]?.contains(record.session) == true
  }

  private func storeRefreshed(
    _ record: SessionRecord, _ attempt: Int, _ account: Account, _ outcome: TokenOutcome
  ) async {
    let name = account.name
    var failure: StoreError?
    if self[record.session, of: name]?.isRemembered != false {
      do throws(StoreError) { try await save(record, overOthers: false) } catch { failure = error }
    }
    checkpoint(.stored)
    if failure == nil { await dropIntent(session: record.session, of: name) }
    checkpoint(.cleared)
    guard self[record.session, of: name] != nil else { return keepLate(outcome, session: record.session, account) }
    await publish(record, attempt, account, outcome, failure)
    if let failure { saveLater(record.session, of: name, failure) }
  }

  /// Lets everybody have the new token, once an id_token that came with it was found to be of the same person.
  private func publish(
    _ record: SessionRecord, _ attempt: Int, _ account: Account, _ outcome: TokenOutcome, _ failure: StoreError?
  ) async {
    let (id, name) = (record.session, record.account)
    var idToken: IDToken?
    var refusal: Rejection?
    if case .success(let grant) = outcome, grant.idToken != nil, let subject = record.subject {
      let occasion = IdentityOccasion.refresh(subject: subject, authTime: record.authTime)
      switch await signIns.identify(grant, at: occasion, account: account) {
      case .success(let identity?): idToken = IDToken(grant, identity, wall: time.wall)
      case .failure(.rejected(let rejection)): refusal = rejection
      // Its keys cannot be had now: then nobody has this id_token.
      case .failure(let failure): idTokenWasNotChecked(self.failure(failure, nil, name), session: id, of: name)
      case .success(nil): break
      }
    }
    guard self[id, of: name] != nil else { return keepLate(outcome, session: id, account) }
    guard let refusal else {
      _ = self[id, of: name]?.stored(attempt, error: failure, idToken: idToken, wall: time.wall)
      return
    }
    let error = ReplyError.untrusted(name, refusal)
    report(
      Event(
        .subjectMismatch, error.message(without: name), level: .error, account: name, session: id, reason: error.reason)
    )
    _ = self[id, of: name]?.identityRefused(attempt, refusal, error: failure, wall: time.wall)
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
    case .success(let grant):
      let token = fingerprints.fingerprint(of: grant.accessToken)
      report(Event(.refreshed, "access token refreshed", account: name, session: id, token: token))
    // What becomes of that is told once the keyring was looked at for a newer refresh token.
    case .rejected where self[id, of: name]?.flight?.isDenied == true: break
    case .rejected where self[id, of: name]?.denial != nil: reportDenial(of: id, name)
    case .rejected(let rejection):
      report(Event(.refreshFailed, "refresh failed: \(rejection.message)", account: name, session: id))
    case .throttled(let message, _), .notSent(let message), .unknown(let message, _):
      report(Event(.refreshFailed, "refresh failed: \(message)", account: name, session: id))
    }
  }

  // MARK: The intent

  /// Makes sure that a restart would know of the refresh token that is about to be spent.
  private func noteIntent(session id: SessionID, of name: String) async {
    guard let session = self[id, of: name], session.isRemembered else { return }
    // Of unknown fate already: the first time it was sent is what counts.
    if session.intent?.generation == session.record.generation { return }
    let intent = RefreshIntent(of: session.record, at: time.wall)
    do throws(StateError) {
      try await intents.add(intent)
      self[id, of: name]?.intent = intent
    } catch {
      // A full disk is no reason to withhold tokens. What is lost is only that a crash right now could be explained.
      report(Event(.stateFailed, error.message, account: name, session: id))
    }
    if self[id, of: name] == nil { await intents.remove(of: id) }
  }

  /// Forgets it, unless the fate of the refresh token is still open.
  func clearIntent(session id: SessionID, of name: String) async {
    guard let session = self[id, of: name], session.intent != nil, !session.needsIntent else { return }
    await dropIntent(session: id, of: name)
  }

  /// The session has ended, and with it all doubt about its refresh token.
  func forgetIntent(of session: UserSession) {
    guard session.intent != nil else { return }
    Task { await intents.remove(of: session.id) }
  }

  private func dropIntent(session id: SessionID, of name: String) async {
    guard self[id, of: name]?.intent != nil else { return }
    self[id, of: name]?.intent = nil
    await intents.remove(of: id)
  }
}

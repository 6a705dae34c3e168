package import KeyrackProtocol

extension TokenCoordinator {
  /// Ends the session of an account, in the order of DESIGN.md, "The end of a session".
  package func logout(
    _ request: LogoutOperation, by caller: Caller
  ) async -> Result<LogoutOperation.Reply, ReplyError> {
    let name = request.account
    do throws(ReplyError) { try await checkKnown(name) } catch { return .failure(error) }
    abandonLogin(of: name, .loginCanceled(name))
    if heldSession(of: name) == nil {
      _ = await turns[name]?.value
      await load()
    }
    let wait = request.wait ?? false
    if let session = heldSession(of: name) { return .success(await end(session, of: name, wait: wait, by: caller)) }
    return .success(await endUnheld(name, by: caller))
  }

  /// Throws unless the account is configured, or the keyring has a session of it.
  private func checkKnown(_ name: String) async throws(ReplyError) {
    let isAskable = configurationError == nil && !isStopping && Account.isValid(name: name)
    if isAskable && slots[name] == nil {
      await load()
      if orphans[name] != nil && !isStopping { return }
      if !isLoaded && slots[name] == nil { throw .keyring(name, keyring.error) }
    }
    _ = try slot(name)
  }

  // MARK: The steps

  func end(
    _ session: UserSession, of name: String, wait: Bool, by caller: Caller
  ) async -> LogoutOperation.Reply {
    // 1 and 2: nothing new can start, nothing late can be committed, nobody waits any more.
    slots[name]?.session = nil
    slots[name]?.signedOutSince = time.wall
    orphans[name] = nil
    ending.insert(session.id)
    release(session)
    countSignedIn()
    let message = "signed out by \(caller.program)"
    report(Event(.loggedOut, message, account: name, session: session.id, caller: caller))
    // 3: what is owed to the provider goes into the keyring, the record out of it.
    let owed = revocation(of: session.record, accessToken: session.accessToken?.secret)
    var isLocal = true
    if session.isRemembered {
      isLocal = await end(EndedSession(account: name, session: session.id, at: time.wall), owing: owed)
    }
    // 4 and 5: the provider.
    let remote = await tell(owed, session: session.id, isKept: session.isRemembered && isLocal, wait: wait)
    return .init(account: name, local: isLocal ? .done : .pending, remote: remote)
  }

  /// An account without a session in memory: none at all, a record that cannot be read, or a keyring out of reach.
  private func endUnheld(_ name: String, by caller: Caller) async -> LogoutOperation.Reply {
    if isLoaded && slots[name]?.unusable == nil {
      // An earlier logout may still have to be finished.
      let isPending = owedRemovals.contains { $0.account == name }
      return .init(account: name, local: isPending ? .pending : .done, remote: .none)
    }
    let unreadable = slots[name]?.unusable?.message
    slots[name]?.unusable = nil
    let note = EndedSession(account: name, session: nil, at: time.wall)
    guard isLoaded else {
      // Whatever the keyring turns out to have for this account is ended when it is read.
      await write(note)
      for old in owedRemovals where old.account == name && old.session == nil && old != note { await drop(old) }
      owedRemovals.insert(note)
      return .init(account: name, local: .pending, remote: .pending)
    }
    let message = "signed out by \(caller.program) of a session that cannot be read"
    report(Event(.loggedOut, message, account: name, caller: caller))
    let isLocal = await end(note, owing: nil)
    return .init(account: name, local: isLocal ? .done : .pending, remote: .unsupported, unreadable: unreadable)
  }

  /// Notes durably that a session has ended.
  private func write(_ note: EndedSession) async {
    do throws(StateError) { try await endedSessions.add(note) } catch {
      report(Event(.stateFailed, error.message, account: note.account, session: note.session))
    }
  }

  private func tell(
    _ owed: Revocation?, session id: SessionID, isKept: Bool, wait: Bool
  ) async -> LogoutOperation.Remote {
    defer { ending.remove(id) }
    guard let owed else {
      lateTokens[id] = nil
      return .unsupported
    }
    let first = deliver(owed, isKept: isKept)
    ending.remove(id)
    guard wait else { return .pending }
    switch await first.value {
    case .done: return .done
    case .failed: return .pending
    case .unsupported, .refused: return .unsupported
    }
  }

  /// What is owed to the provider for a session, nil where it has no way to be told.
  func revocation(of record: SessionRecord, accessToken: Secret?) -> Revocation? {
    guard let provider = providers[record.provider], provider.completed(by: record.endpoints).supportsRevocation
    else { return nil }
    return Revocation(
      session: record.session, account: record.account, provider: record.provider, audience: record.audience,
      endpoints: record.endpoints, refreshToken: record.refreshToken, accessToken: accessToken ?? record.accessToken,
      since: time.wall)
  }

  // MARK: The keyring's part

  /// Notes durably that a session has ended, then takes it out of the keyring. False where that is still to be done.
  func end(_ note: EndedSession, owing owed: Revocation?) async -> Bool {
    // At once: its turn may have to wait.
    let noted = Task { await write(note) }
    return await settle(note, .known(owed), once: noted)
  }

  /// Takes what a note is about out of the keyring, and then forgets the note. False where that is still to be done.
  @discardableResult
  func settle(_ note: EndedSession, _ debt: Debt = .ofRecord, once noted: Task<Void, Never>? = nil) async -> Bool {
    let error = await inTurn(of: note.account) {
      await noted?.value
      return await self.forget(note, debt)
    }
    if error == nil { await drop(note) }
    return error == nil
  }

  func drop(_ note: EndedSession) async {
    owedRemovals.remove(note)
    await endedSessions.remove(note)
  }

  /// Finishes what could not be removed from the keyring before.
  func settleOwed() async {
    if isSettling { return }
    isSettling = true
    for note in owedRemovals where owedRemovals.contains(note) { await settle(note) }
    isSettling = false
  }

  private func settleLater() {
    guard settling == nil else { return }
    settling = Task {
      var schedule = RefreshSchedule()
      while !owedRemovals.isEmpty {
        do { try await time.sleep(until: time.now + schedule.failed()) } catch { break }
        await settleOwed()
      }
      settling = nil
    }
  }

  /// Puts what is owed into the keyring and takes the record out, if that is still of a session that has ended.
  private func forget(_ note: EndedSession, _ debt: Debt) async -> StoreError? {
    do throws(StoreError) {
      let (stored, isToGo) = try await storedRecord(endedBy: note)
      let owed: Revocation? =
        switch debt {
        case .known(let owed): owed
        // A newer session's record may have taken its place by now; what is owed stays owed.
        case .ofRecord:
          (note.session ?? stored?.session).flatMap { outbox[$0]?.revocation }
            ?? stored.flatMap { revocation(of: $0, accessToken: nil) }
        }
      if let owed { try await keep(owed) }
      if isToGo {
        try await observed { () async throws(StoreError) in try await store.removeRecord(of: note.account) }
      }
      if case .ofRecord = debt, let owed { deliver(owed, isKept: true) }
      return nil
    } catch {
      owedRemovals.insert(note)
      settleLater()
      return error
    }
  }

  /// The record of the session that a note is about, and whether there is something to be removed: also what cannot be
  /// read is, unless it may be of a newer session.
  private func storedRecord(endedBy note: EndedSession) async throws(StoreError) -> (SessionRecord?, Bool) {
    do throws(StoreError) {
      let stored = try await observed { () async throws(StoreError) in try await store.record(of: note.account) }
      guard let stored, stored.session != heldSession(of: note.account)?.id else { return (nil, false) }
      return note.session == nil || note.session == stored.session ? (stored, true) : (nil, false)
    } catch .unusable {
      return (nil, heldSession(of: note.account)?.isRemembered != true)
    }
  }

  func keep(_ owed: Revocation) async throws(StoreError) {
    var owed = owed
    // Access tokens live in memory only, unless there is nothing else.
    if owed.refreshToken != nil { owed.accessToken = nil }
    let item = owed
    try await observed { () async throws(StoreError) in try await store.save(item) }
  }
}

/// What a provider is owed for a session that is taken out of the keyring.
enum Debt: Sendable {
  /// That, or nothing; the caller sees to it.
  case known(Revocation?)
  /// Whatever the record says, to be delivered once the record is gone.
  case ofRecord
}

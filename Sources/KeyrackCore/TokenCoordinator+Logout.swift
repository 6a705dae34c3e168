package import KeyrackProtocol

extension TokenCoordinator {
  /// Ends the session of an account, in the order of DESIGN.md, "The end of a session".
  package func logout(_ request: LogoutOperation) async -> Result<LogoutOperation.Reply, ReplyError> {
    let name = request.account
    do throws(ReplyError) {
      if orphans[name] == nil || isStopping { _ = try slot(name) }
    } catch { return .failure(error) }
    if let login = slots[name]?.login, !login.isCommitted {
      endLogin(of: name, login.attempt.number, .failure(.loginCanceled(name)))
    }
    if let session = slots[name]?.session {
      return .success(await end(session, of: name, wait: request.wait ?? false))
    }
    _ = await forgetting[name]?.value
    await load()
    if let session = slots[name]?.session {
      return .success(await end(session, of: name, wait: request.wait ?? false))
    }
    return .success(await endUnheld(name, wait: request.wait ?? false))
  }

  // MARK: The steps

  private func end(_ session: UserSession, of name: String, wait: Bool) async -> LogoutOperation.Reply {
    // 1 and 2: nothing new can start, nothing late can be committed, nobody waits any more.
    slots[name]?.session = nil
    slots[name]?.signedOutSince = time.wall
    ending.insert(session.id)
    release(session)
    countSignedIn()
    log.record(.notice, "logout", account: name, "signed out")
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

  /// An account without a session in memory: an orphan, a record that cannot be read, or a keyring out of reach.
  private func endUnheld(_ name: String, wait: Bool) async -> LogoutOperation.Reply {
    if let record = orphans.removeValue(forKey: name) {
      let owed = revocation(of: record, accessToken: nil)
      ending.insert(record.session)
      let isLocal = await end(EndedSession(account: name, session: record.session, at: time.wall), owing: owed)
      let remote = await tell(owed, session: record.session, isKept: isLocal, wait: wait)
      return .init(account: name, local: isLocal ? .done : .pending, remote: remote)
    }
    if isLoaded && slots[name]?.unusable == nil { return .init(account: name, local: .done, remote: .none) }
    slots[name]?.unusable = nil
    let note = EndedSession(account: name, session: nil, at: time.wall)
    guard isLoaded else {
      // Whatever the keyring turns out to have for this account is ended when it is read.
      await write(note)
      owedRemovals.insert(note)
      return .init(account: name, local: .pending, remote: .pending)
    }
    return .init(account: name, local: await end(note, owing: nil) ? .done : .pending, remote: .none)
  }

  /// Notes durably that a session has ended.
  private func write(_ note: EndedSession) async {
    do throws(EndedSessionsError) { try await endedSessions.add(note) } catch {
      log.record(.error, "state", account: note.account, error.message)
    }
  }

  private func tell(
    _ owed: Revocation?, session id: SessionID, isKept: Bool, wait: Bool
  ) async -> LogoutOperation.Remote {
    defer { ending.remove(id) }
    guard let owed else {
      lateGrants[id] = nil
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
    guard let provider = providers[record.provider], provider.supportsRevocation else { return nil }
    return Revocation(
      session: record.session, account: record.account, provider: record.provider, audience: record.audience,
      refreshToken: record.refreshToken, accessToken: accessToken ?? record.accessToken, since: time.wall)
  }

  // MARK: The keyring's part

  /// Notes durably that a session has ended, then removes it from the keyring. False where that is still to be done.
  func end(_ note: EndedSession, owing owed: Revocation?) async -> Bool {
    let previous = forgetting[note.account]
    let task = Task {
      _ = await previous?.value
      await write(note)
      return await forget(note, owing: owed)
    }
    forgetting[note.account] = task
    defer { if forgetting[note.account] == task { forgetting[note.account] = nil } }
    return await task.value
  }

  /// Puts what is owed into the keyring and takes the record out. The note goes last.
  func forget(_ note: EndedSession, owing owed: Revocation?) async -> Bool {
    do throws(StoreError) {
      if var kept = owed {
        // Access tokens live in memory only, unless there is nothing else.
        if kept.refreshToken != nil { kept.accessToken = nil }
        let item = kept
        try await observed { () async throws(StoreError) in try await store.save(item) }
      }
      try await observed { () async throws(StoreError) in try await store.removeRecord(of: note.account) }
    } catch {
      owedRemovals.insert(note)
      settleLater()
      return false
    }
    owedRemovals.remove(note)
    await endedSessions.remove(note)
    return true
  }

  /// Finishes what could not be removed from the keyring before.
  func settleOwed() async {
    for note in owedRemovals { await settle(note) }
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

  /// Finishes one of them, if the keyring still holds what the note is about.
  func settle(_ note: EndedSession) async {
    _ = await forgetting[note.account]?.value
    guard owedRemovals.contains(note) else { return }
    let task = Task {
      let stored: SessionRecord?
      do throws(StoreError) {
        stored = try await observed { () async throws(StoreError) in try await store.record(of: note.account) }
      } catch { return false }
      guard let stored, note.covers(stored) else {
        owedRemovals.remove(note)
        await endedSessions.remove(note)
        return true
      }
      let owed =
        outbox[stored.session] == nil ? revocation(of: stored, accessToken: nil) : outbox[stored.session]?.revocation
      guard await forget(note, owing: owed) else { return false }
      if let owed { deliver(owed, isKept: true) }
      return true
    }
    forgetting[note.account] = task
    _ = await task.value
    if forgetting[note.account] == task { forgetting[note.account] = nil }
  }
}

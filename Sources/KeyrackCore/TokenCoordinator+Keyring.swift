import KeyrackProtocol

extension TokenCoordinator {
  // MARK: What the keyring has

  /// Reads the keyring until that has worked once, waiting longer each time.
  func loadUntilDone() async {
    var schedule = RefreshSchedule()
    while !isLoaded && !isStopping {
      await load()
      if isLoaded { return }
      do { try await time.sleep(until: time.now + schedule.failed()) } catch { return }
    }
  }

  /// Reads the keyring if that has not worked yet. Callers share one attempt.
  package func load() async {
    if isLoaded { return }
    if let loading { return await loading.value }
    let task = Task {
      await readKeyring()
      loading = nil
      wake(.keyring, .settled)
    }
    loading = task
    await task.value
  }

  private func readKeyring() async {
    let contents: StoreContents
    do throws(StoreError) {
      contents = try await observed { () async throws(StoreError) in try await store.all() }
    } catch { return }
    let notes = await endedSessions.all()
    owedRemovals.formUnion(notes)
    let interrupted = await intents.interrupted()
    for record in contents.records {
      await take(record, notes, contents.revocations, interrupted.first { $0.session == record.session })
    }
    for intent in interrupted where contents.unusable[intent.account] == nil {
      if self[intent.session, of: intent.account]?.intent == nil { await intents.remove(of: intent.session) }
    }
    for (name, unusable) in contents.unusable {
      slots[name]?.unusable = unusable
      let message = "its session in the keyring cannot be used: \(unusable.message)"
      report(Event(.keyringFailed, message, level: .error, account: name, reason: "unusable"))
    }
    for revocation in contents.revocations where outbox[revocation.session] == nil {
      // Not before the record is gone: an acknowledged revocation no longer tells that the session has ended.
      if owedRemovals.contains(where: { $0.session == revocation.session }) { continue }
      deliver(revocation, isKept: true)
    }
    for note in owedRemovals where !contents.records.contains(where: { note.covers($0) }) {
      // What cannot be read may be what the note is about.
      if contents.unusable[note.account] == nil { await drop(note) } else { await settle(note) }
    }
    isLoaded = true
    countSignedIn()
    for slot in Array(slots.values) { await findPerson(of: slot.account) }
  }

  /// Takes one record from the keyring: into its account, or to its end if that had begun before a restart.
  private func take(
    _ record: SessionRecord, _ notes: [EndedSession], _ revocations: [Revocation], _ intent: RefreshIntent?
  ) async {
    let known = revocations.first { $0.session == record.session }
    if let note = notes.first(where: { $0.covers(record) }) {
      await settle(note, known.map { .known($0) } ?? .ofRecord)
    } else if let known {
      await settle(EndedSession(account: record.account, session: record.session, at: known.since), .known(known))
    } else if heldSession(of: record.account) == nil {
      adopt(UserSession(kept: record, intent: intent, now: time.now, wall: time.wall, boot: time.boot))
    }
  }

  /// Makes a session that is kept the one of its account.
  func adopt(_ session: UserSession) {
    let name = session.record.account
    guard let slot = slots[name] else {
      orphans[name] = session
      return
    }
    var session = session
    session.configurationChanged(to: slot.account.provider, wall: time.wall)
    slot.session = session
    slot.unusable = nil
  }

  /// Makes sure that the keyring was asked for the session of an account. Throws the keyring's error, `timeout` or
  /// `shutting_down`.
  func findSession(of name: String, before deadline: ContinuousClock.Instant) async throws(ReplyError) {
    if isLoaded { return }
    Task { await self.load() }
    switch await wait(for: .keyring, before: deadline) {
    case .shuttingDown: throw .shuttingDown
    case .timedOut where slots[name]?.session == nil: throw .timeout(name)
    case .settled, .ended, .timedOut:
      guard !isLoaded && slots[name]?.session == nil else { return }
      keyringMissed(by: name)
      throw .keyring(name, keyring.error)
    }
  }

  // MARK: What the keyring says

  /// Makes a call to the keyring and remembers how it is.
  func observed<R: Sendable>(_ call: () async throws(StoreError) -> R) async throws(StoreError) -> R {
    do throws(StoreError) {
      let result = try await call()
      keyringAnswered(nil)
      return result
    } catch {
      keyringAnswered(error)
      throw error
    }
  }

  private func keyringAnswered(_ error: StoreError?) {
    if storage == .memory { return }
    let next = KeyringStatus(error, since: time.wall)
    guard next.state != keyring.state || next.message != keyring.message else { return }
    // One that fails only now and then is left to the retries: whatever asked it has just changed its state itself.
    let wasOutOfReach = [.locked, .unavailable].contains(keyring.state)
    keyring = next
    if next.state == .ok {
      for slot in slots.values { slot.session?.keyringRecovered(wall: time.wall) }
      for name in orphans.keys { orphans[name]?.keyringRecovered(wall: time.wall) }
      planRefresh()
      report(Event(.keyringRecovered, "the keyring answers"))
      if isLoaded && wasOutOfReach { Task { await self.settleOwed() } }
    } else {
      let state = next.state.rawValue
      report(Event(.keyringFailed, "keyring \(state): \(next.message ?? "")", reason: state))
    }
  }

  // MARK: Saving

  /// Writes the record of a session, unless that has ended by then. Unless it is `overOthers`, a newer record of another
  /// daemon stays and is taken for what this session has, or takes its place.
  func save(_ record: SessionRecord, overOthers: Bool) async throws(StoreError) {
    if let error = await inTurn(of: record.account, { await self.write(record, overOthers) }) { throw error }
  }

  private func write(_ record: SessionRecord, _ overOthers: Bool) async -> StoreError? {
    let (id, name) = (record.session, record.account)
    guard let session = self[id, of: name] else { return nil }
    do throws(StoreError) {
      try await observed { () async throws(StoreError) in
        if overOthers { try await store.save(record) } else { try await store.replace(session.kept, by: record) }
      }
      self[id, of: name]?.kept = record
      replaced[name] = nil
      return nil
    } catch .conflict(let stored) {
      return await giveWay(record, to: stored)
    } catch { return error }
  }

  /// Deals with what another daemon has stored (REFRESH R4, R23).
  private func giveWay(_ record: SessionRecord, to stored: SessionRecord) async -> StoreError? {
    let (id, name) = (record.session, record.account)
    guard self[id, of: name] != nil else { return nil }
    if stored.session != id, !hasEnded(stored) {
      replace(id, by: stored)
      return nil
    }
    if stored.session == id, stored.isNewer(than: record) {
      self[id, of: name]?.superseded(by: stored, wall: time.wall)
      return nil
    }
    // Ours is newer: once more, over that.
    self[id, of: name]?.kept = stored
    do throws(StoreError) {
      try await observed { () async throws(StoreError) in try await store.replace(stored, by: record) }
      self[id, of: name]?.kept = record
      return nil
    } catch { return error }
  }

  /// Changes what the keyring has of an account, after all changes that were begun before: what a change has read stays
  /// true until its end.
  func inTurn(of name: String, _ change: @escaping @Sendable () async -> StoreError?) async -> StoreError? {
    let previous = turns[name]
    let task = Task {
      _ = await previous?.value
      return await change()
    }
    turns[name] = task
    defer { if turns[name] == task { turns[name] = nil } }
    return await task.value
  }

  /// Goes on trying to save the newest record of a session, for as long as it is that.
  func saveLater(_ id: SessionID, of name: String, _ error: StoreError) {
    let message = "not saved: \(ReplyError.keyring(name, error).message(without: name))"
    report(Event(.keyringFailed, message, level: .error, account: name, session: id, reason: "unsaved"))
    guard saving[id] == nil else { return }
    saving[id] = Task {
      var schedule = RefreshSchedule()
      while let session = self[id, of: name], !session.isSaved {
        do { try await time.sleep(until: time.now + schedule.failed()) } catch { break }
        await saveAgain(id, of: name)
      }
      saving[id] = nil
    }
  }

  private func saveAgain(_ id: SessionID, of name: String) async {
    guard let session = self[id, of: name], session.flight == nil else { return }
    do throws(StoreError) { try await save(session.record, overOthers: false) } catch { return }
    self[id, of: name]?.saved(session.record, wall: time.wall)
    await clearIntent(session: id, of: name)
  }

  /// One last attempt for each session whose newest record is only in memory. What is lost is told.
  func saveUnsaved() async {
    for session in slots.values.compactMap(\.session) + orphans.values where session.isRemembered && !session.isSaved {
      let (id, name) = (session.id, session.record.account)
      await saveAgain(id, of: name)
      guard self[id, of: name]?.isSaved == false else { continue }
      let message =
        "lost: its newest refresh token could not be put into the keyring; to sign in: keyrack login \(name)"
      log.record(Event(.keyringFailed, message, level: .error, account: name, session: id, reason: "lost"))
    }
  }
}

extension KeyringStatus {
  init(_ error: StoreError?, since: Int) {
    switch error {
    case nil, .unusable, .conflict: self.init(state: .ok, since: since, message: nil)
    case .locked: self.init(state: .locked, since: since, message: "the keyring is locked")
    case .unavailable(let message): self.init(state: .unavailable, since: since, message: message)
    case .failed(let message): self.init(state: .error, since: since, message: message)
    }
  }

  var error: StoreError {
    switch state {
    case .ok: .failed("it was not read yet")
    case .locked: .locked
    case .unavailable: .unavailable(message ?? "")
    case .error: .failed(message ?? "")
    }
  }
}

extension Configuration.Storage {
  /// What is to be said of the keyring while all is well.
  var inWords: String? {
    switch self {
    case .keyring: nil
    case .memory: "not used: sign-ins and secrets are in memory only, and end when keyrackd stops (store=memory)"
    }
  }
}

extension EndedSession {
  /// Whether a record is of the session that has ended.
  func covers(_ record: SessionRecord) -> Bool {
    guard account == record.account else { return false }
    if let session { return session == record.session }
    return record.obtainedAt <= at
  }
}

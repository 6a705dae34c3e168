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
    for record in contents.records { await take(record, notes, contents.revocations) }
    for (name, unusable) in contents.unusable {
      slots[name]?.unusable = unusable
      log.record(.error, "keyring", account: name, "its session in the keyring cannot be used: \(unusable.message)")
    }
    for revocation in contents.revocations where outbox[revocation.session] == nil { deliver(revocation, isKept: true) }
    for note in owedRemovals where !contents.records.contains(where: { note.covers($0) }) { await settle(note) }
    isLoaded = true
    countSignedIn()
  }

  /// Takes one record from the keyring: into its account, or to its end if that had begun before a restart.
  private func take(_ record: SessionRecord, _ notes: [EndedSession], _ revocations: [Revocation]) async {
    let note = notes.first { $0.covers(record) }
    if note != nil || revocations.contains(where: { $0.session == record.session }) {
      let note = note ?? EndedSession(account: record.account, session: record.session, at: record.obtainedAt)
      // Where the outbox has it already, the caller delivers that.
      let isKnown = revocations.contains { $0.session == record.session }
      let owed = isKnown ? nil : revocation(of: record, accessToken: nil)
      if await forget(note, owing: owed), let owed { deliver(owed, isKept: true) }
      return
    }
    guard slots[record.account] != nil else {
      orphans[record.account] = record
      return
    }
    guard slots[record.account]?.session == nil else { return }
    adopt(record)
  }

  /// Makes a kept record the session of its account.
  func adopt(_ record: SessionRecord) {
    guard let account = slots[record.account]?.account else { return }
    var session = UserSession(kept: record, now: time.now, wall: time.wall)
    session.configurationChanged(audience: account.provider.audience, wall: time.wall)
    slots[record.account]?.session = session
    slots[record.account]?.unusable = nil
  }

  /// Makes sure that the keyring was asked for the session of an account. Throws the keyring's error, or `timeout`.
  func findSession(of name: String, before deadline: ContinuousClock.Instant) async throws(ReplyError) {
    if isLoaded { return }
    let loaded = await before(deadline) { await self.load() }
    if slots[name]?.session != nil { return }
    guard loaded else { throw .timeout(name) }
    if !isLoaded { throw .keyring(name, keyring.error) }
  }

  /// Whether some work ended in time. It goes on where it did not.
  private func before(_ deadline: ContinuousClock.Instant, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    Task {
      await work()
      end.yield(true)
      end.finish()
    }
    let alarm = Task {
      do { try await time.sleep(until: deadline) } catch { return }
      end.yield(false)
      end.finish()
    }
    defer { alarm.cancel() }
    for await inTime in ends { return inTime }
    return false
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
    let next = KeyringStatus(error, since: time.wall)
    guard next.state != keyring.state || next.message != keyring.message else { return }
    keyring = next
    if next.state == .ok {
      for name in slots.keys { slots[name]?.session?.keyringRecovered(wall: time.wall) }
      log.record(.notice, "keyring", account: nil, "the keyring answers")
      if isLoaded { Task { await self.settleOwed() } }
    } else {
      log.record(.warning, "keyring", account: nil, "keyring \(next.state.rawValue): \(next.message ?? "")")
    }
  }

  // MARK: Saving

  func save(_ record: SessionRecord) async throws(StoreError) {
    try await observed { () async throws(StoreError) in try await store.save(record) }
  }

  /// Goes on trying to save the newest record of a session, for as long as it is that.
  func saveLater(_ id: SessionID, of name: String, _ error: StoreError) {
    log.record(.error, "unsaved", account: name, "not saved: \(ReplyError.keyring(name, error).message)")
    guard saving[id] == nil else { return }
    saving[id] = Task {
      var schedule = RefreshSchedule()
      while let session = session(id, of: name), !session.isSaved {
        do { try await time.sleep(until: time.now + schedule.failed()) } catch { break }
        await saveAgain(id, of: name)
      }
      saving[id] = nil
    }
  }

  private func saveAgain(_ id: SessionID, of name: String) async {
    guard let session = session(id, of: name), session.flight == nil else { return }
    do throws(StoreError) { try await save(session.record) } catch { return }
    guard self.session(id, of: name) != nil else { return }
    slots[name]?.session?.saved(session.record)
  }

  /// One last attempt for each session whose newest record is only in memory.
  func saveUnsaved() async {
    for (name, slot) in slots {
      if let session = slot.session, session.isRemembered, !session.isSaved { await saveAgain(session.id, of: name) }
    }
  }
}

extension KeyringStatus {
  init(_ error: StoreError?, since: Int) {
    switch error {
    case nil, .unusable: self.init(state: .ok, since: since, message: nil)
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

extension EndedSession {
  /// Whether a record is of the session that has ended.
  func covers(_ record: SessionRecord) -> Bool {
    guard account == record.account else { return false }
    if let session { return session == record.session }
    return record.obtainedAt <= at
  }
}

package import KeyrackProtocol

/// A client that is told of changes.
struct Subscriber {
  let id: RequestID?
  let caller: Caller
  /// Nil: all that it may use.
  let accounts: Set<String>?
  let send: AnswerSink
}

/// Telling subscribers what changes, and the command of `on_event`. The state of an account is compared with what was told
/// last, once all that happens in one go has happened.
extension TokenCoordinator {
  /// The first line for a subscriber; it is told of what changes from then on until `send` finds no client any more.
  package func subscribe(
    _ request: SubscribeOperation, id: RequestID?, by caller: Caller, _ send: AnswerSink
  ) {
    do throws(ReplyError) {
      if isStopping { throw .shuttingDown }
      for name in request.accounts ?? [] {
        try authorize(name, by: caller)
        _ = try slot(name)
      }
      let accounts = try status(StatusOperation(), by: caller).get().accounts
      let names = request.accounts.map(Set.init)
      let shown = accounts.filter { names?.contains($0.account) ?? true }
      // What has changed by now is in what it is shown.
      if changed.isEmpty { beginObserving() } else { publishChanges() }
      subscribers.removeAll { !$0.send.hasClient }
      subscribers.append(Subscriber(id: id, caller: caller, accounts: names, send: send))
      send(.event(Reply(id: id, result: .success(SubscribeOperation.Reply(accounts: shown))).line()))
    } catch {
      send(.reply(Reply<SubscribeOperation.Reply>(id: id, result: .failure(error)).line()))
    }
  }

  package var subscriberCount: Int { subscribers.count }

  /// Everything may have changed.
  func configurationRead() {
    guard observedSince != nil else { return }
    for slot in slots.values { observe(slot) }
    publish(SessionEvent(.config, at: time.wall))
    changed.formUnion(slots.keys)
    changed.formUnion(standings.keys)
    planPublication()
  }

  func keyringChanged(from old: KeyringStatus.State) {
    guard keyring.state != old, observedSince != nil else { return }
    publish(SessionEvent(.keyring, at: time.wall, reason: keyring.state.rawValue))
  }

  /// The daemon stops: their connections need not be waited for.
  func endSubscriptions() {
    for subscriber in subscribers { subscriber.send(.end) }
    subscribers = []
    stopObserving()
  }

  // MARK: What has changed

  /// Does nothing where that has begun.
  func beginObserving() {
    guard observedSince == nil, !isStopping else { return }
    observedSince = time.wall
    for (name, slot) in slots {
      observe(slot)
      standings[name] = standing(of: slot, since: AccountStanding())
    }
    setEventAlarm()
  }

  private func observe(_ slot: AccountSlot) {
    let name = slot.account.name
    slot.changed = { [weak self] in self?.assumeIsolated { $0.accountChanged(name) } }
  }

  private func stopObserving() {
    observedSince = nil
    for slot in slots.values { slot.changed = nil }
    standings = [:]
    changed = []
    eventAlarm?.cancel()
  }

  private func accountChanged(_ name: String) {
    changed.insert(name)
    planPublication()
  }

  /// After all that happens in this go.
  private func planPublication() {
    guard publication == nil else { return }
    publication = Task { self.publishChanges() }
  }

  private func publishChanges() {
    publication = nil
    guard let observedSince else { return }
    let wall = time.wall
    for name in changed.sorted() {
      let old = standings[name] ?? AccountStanding()
      let new = slots[name].map { standing(of: $0, since: old) } ?? AccountStanding()
      standings[name] = slots[name] == nil ? nil : new
      let began = slots[name]?.session.map { $0.record.obtainedAt >= observedSince } ?? false
      for (kind, reason) in new.events(since: old, began: began) {
        publish(SessionEvent(kind, account: name, at: wall, reason: reason))
      }
    }
    changed = []
    setEventAlarm()
  }

  private func standing(of slot: AccountSlot, since old: AccountStanding) -> AccountStanding {
    guard let session = slot.session else { return AccountStanding() }
    let (now, wall) = (time.now, time.wall)
    let isSame = session.id == old.session
    return AccountStanding(
      session: session.id,
      health: AccountStanding.Health(session.state(at: now), reason: session.reason(at: now))
        ?? (isSame ? old.health : .fine),
      refreshedAt: session.record.refreshedAt,
      isExpiring: session.expiryWarning.map { $0 <= wall } ?? false)
  }

  private func publish(_ event: SessionEvent) {
    post(event)
    if isNews(event), let command = notices.command { hook.tell(event.line(id: nil), to: command) }
    // In a copy: to send may be to answer the next line of that client, whatever that asks.
    subscribers = subscribers.filter { subscriber in
      if let account = event.account {
        guard subscriber.accounts?.contains(account) ?? true, mayUse(account, subscriber.caller) else { return true }
      }
      return subscriber.send(.event(event.line(id: subscriber.id)))
    }
  }

  /// What the keyring has at the start is found, and nothing has changed by that.
  private func isNews(_ event: SessionEvent) -> Bool {
    switch event.event {
    case .recovered: return hasFailed.contains(event.account) || hasFailed.contains(nil)
    case .refreshFailed, .loginRequired, .logout, .keyring: hasFailed.insert(event.account)
    case .login, .refreshed, .expiring, .config: break
    }
    return true
  }

  /// Some states begin by the clock alone.
  private func setEventAlarm() {
    eventAlarm?.cancel()
    guard observedSince != nil else { return }
    let (now, wall) = (time.now, time.wall)
    let times = slots.values.compactMap { slot -> ContinuousClock.Instant? in
      guard let session = slot.session else { return nil }
      let warning = session.expiryWarning.flatMap { $0 > wall ? now + .seconds($0 - wall) : nil }
      let end = session.record.refreshToken == nil ? session.accessToken?.deadline.flatMap { $0 > now ? $0 : nil } : nil
      return [warning, end].compactMap(\.self).min()
    }
    guard let next = times.min() else { return }
    eventAlarm = Task {
      do { try await time.sleep(until: next) } catch { return }
      changed.formUnion(slots.keys)
      publishChanges()
    }
  }
}

extension UserSession {
  /// When the person is warned that the refresh token ends, Unix seconds: three days before, of a short one a tenth of its
  /// life.
  var expiryWarning: Int? {
    record.refreshExpiresAt.map { end in
      end - min(3 * 86_400, max(0, end - (record.refreshedAt ?? record.obtainedAt)) / 10)
    }
  }
}

import KeyrackProtocol

extension TokenCoordinator {
  // MARK: Refreshing ahead

  /// Sets the alarm for the next refresh that nobody asks for.
  func planRefresh() {
    if let due = slots.values.compactMap({ $0.session?.refreshDue }).min() { planRefresh(due) }
  }

  /// The same after a change to one session.
  func planRefresh(of name: String) {
    if let slot = slots[name] { planRefresh(of: slot) }
  }

  func planRefresh(of slot: AccountSlot) {
    if let due = slot.session?.refreshDue { planRefresh(due) }
  }

  /// Whether the alarm goes off by then, when all that is due is looked at. To ask a session costs more, at each token.
  func isPlanned(by due: ContinuousClock.Instant?) -> Bool {
    guard let due, let plannedAt else { return false }
    return plannedAt <= due
  }

  /// An alarm that turns out to be too early does no harm.
  func planRefresh(_ due: ContinuousClock.Instant) {
    if let plannedAt, plannedAt <= due { return }
    planned?.cancel()
    plannedAt = due
    planned = Task {
      do { try await time.sleep(until: due) } catch { return }
      guard plannedAt == due else { return }
      plannedAt = nil
      refreshWhatIsDue()
    }
  }

  private func refreshWhatIsDue() {
    if isStopping { return }
    let now = time.now
    for (name, slot) in slots {
      guard let attempt = slot.session?.refreshCameDue(now: now), let id = slot.session?.id else { continue }
      beginRefresh(attempt, session: id, of: name, isAwaited: false)
    }
    planRefresh()
  }

  // MARK: Limits

  /// After that long without an answer a refresh no longer takes up one of the places in all.
  private static let slow = Duration.seconds(5)

  /// Waits until the refresh of a session may begin. False where the session has ended, or the daemon stops.
  func admission(of id: SessionID, to provider: Provider) async -> Bool {
    limiter.enter(id, host: provider.host, isAwaited: awaitedFlights.contains(id))
    return await withCheckedContinuation { continuation in
      admissions[id] = continuation
      admitNext()
    }
  }

  func admitNext() {
    while let id = limiter.next(limit: { maximum(at: $0) }) {
      admissions.removeValue(forKey: id)?.resume(returning: !isStopping)
    }
  }

  private func maximum(at host: String) -> Int {
    if health.contains(where: { $0.key.host == host && $0.value.isSuspect }) { return 1 }
    return providers.values.filter { $0.host == host }.map(\.habits.maximumConcurrency).min() ?? 1
  }

  /// Somebody waits for a refresh that may have begun without anybody.
  func flightIsAwaited(_ id: SessionID) {
    awaitedFlights.insert(id)
    limiter.awaited(id)
  }

  /// A session has ended whose refresh has not begun yet.
  func withdraw(_ id: SessionID) {
    guard let waiting = admissions.removeValue(forKey: id) else { return }
    limiter.leave(id)
    waiting.resume(returning: false)
  }

  func giveUpPlace(of id: SessionID) async {
    do { try await time.sleep(until: time.now + Self.slow) } catch { return }
    limiter.slowed(id)
    admitNext()
  }

  // MARK: What is known of providers

  func note(_ outcome: TokenOutcome, of provider: Provider) {
    health[provider.healthKey, default: ProviderHealth(host: provider.host)].answered(
      outcome, now: time.now, random: random())
  }

  /// How long a provider still wants to be left alone.
  func throttle(of provider: Provider) -> Duration? { health[provider.healthKey]?.throttle(now: time.now) }

  /// Ends a refresh that is not to be sent now.
  func isPostponed(_ attempt: Int, session id: SessionID, of name: String) -> Bool {
    guard let provider = slots[name]?.account.provider else { return true }
    let trouble = health[provider.healthKey]?.obstacle(
      name, isAwaited: awaitedFlights.contains(id), now: time.now, wall: time.wall)
    guard let trouble else { return false }
    self[id, of: name]?.refreshPostponed(trouble, attempt: attempt, wall: time.wall)
    return true
  }
}

extension Account {
  /// The same, asking for nothing in particular.
  var withoutScopes: Account { Account(name: name, provider: provider) }
}

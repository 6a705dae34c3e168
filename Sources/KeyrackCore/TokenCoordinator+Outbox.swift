import KeyrackProtocol

/// A revocation that the provider has not acknowledged.
struct OutboxEntry {
  var revocation: Revocation
  /// Whether the keyring has it too.
  var isKept: Bool
  /// The first attempt to deliver it.
  let first: Task<RevocationOutcome, Never>
  var nextAttemptAt: ContinuousClock.Instant?
  var lastError: StatusError?
}

extension TokenCoordinator {
  /// Days after which a revocation is given up: nobody keeps a provider down for longer.
  private static let longestOwed = 7

  /// Tells the provider, again and again until it has acknowledged. Returns the first attempt, which includes that the
  /// keyring has forgotten what is no longer owed.
  @discardableResult
  func deliver(_ revocation: Revocation, isKept: Bool) -> Task<RevocationOutcome, Never> {
    let id = revocation.session
    if let entry = outbox[id] {
      if isKept { outbox[id]?.isKept = true }
      return entry.first
    }
    let first = Task { await deliverOnce(id) }
    outbox[id] = OutboxEntry(revocation: revocation, isKept: isKept, first: first)
    Task {
      var outcome = await first.value
      if case .failed(let message, _) = outcome, let owed = outbox[id]?.revocation {
        report(Event(.revocationFailed, "not revoked yet: \(message)", of: owed, "unavailable"))
      }
      var schedule = RefreshSchedule()
      while case .failed(let message, let retryAfter) = outcome {
        guard await waitToRetry(id, message, schedule.failed(retryAfter: retryAfter)) else { return }
        outcome = await deliverOnce(id)
      }
    }
    return first
  }

  func deliverOnce(_ id: SessionID) async -> RevocationOutcome {
    // The answer of a refresh that was under way may bring the token that has to be revoked.
    await flights[id]?.value
    if let late = lateTokens.removeValue(forKey: id) {
      if let newest = late.refreshToken { outbox[id]?.revocation.refreshToken = newest }
      if let newest = late.accessToken { outbox[id]?.revocation.accessToken = newest }
    }
    guard let revocation = outbox[id]?.revocation else { return .done }
    guard let provider = providers[revocation.provider], provider.audience.accepts(revocation.audience) else {
      return .failed("its provider is not in the configuration")
    }
    let outcome = await self.provider.revoke(
      revocation, provider: provider.completed(by: revocation.endpoints))
    switch outcome {
    case .failed: return outcome
    case .done: report(Event(.revoked, "the provider has revoked the session", of: revocation))
    case .unsupported: break
    case .refused(let message):
      let event = Event(.revocationFailed, "the provider refuses to revoke: \(message)", of: revocation, "refused")
      report(event)
    }
    await acknowledge(id)
    return outcome
  }

  /// Lets a revocation that is being delivered survive a restart.
  func keepDelivering(_ revocation: Revocation) async {
    do throws(StoreError) {
      try await keep(revocation)
      if outbox[revocation.session] != nil {
        outbox[revocation.session]?.isKept = true
      } else {
        try await store.removeRevocation(of: revocation.session)
      }
    } catch {
      report(Event(.keyringFailed, "a revocation is owed by memory alone", of: revocation))
    }
  }

  /// False where the revocation is given up, or the daemon stops.
  private func waitToRetry(_ id: SessionID, _ message: String, _ wait: Duration) async -> Bool {
    guard let entry = outbox[id], !isStopping else { return false }
    guard entry.revocation.since > time.wall - Self.longestOwed * 86_400 else {
      report(Event(.revocationFailed, "not revoked for a week, given up: \(message)", of: entry.revocation, "expired"))
      await acknowledge(id)
      return false
    }
    outbox[id]?.nextAttemptAt = time.now + wait
    outbox[id]?.lastError = StatusError(code: .temporarilyUnavailable, message: message, at: time.wall)
    do { try await time.sleep(until: time.now + wait) } catch { return false }
    return !isStopping
  }

  private func acknowledge(_ id: SessionID) async {
    guard let entry = outbox.removeValue(forKey: id), entry.isKept else { return }
    do throws(StoreError) {
      try await observed { () async throws(StoreError) in try await store.removeRevocation(of: id) }
    } catch {
      report(Event(.keyringFailed, "a delivered revocation stays in the keyring", of: entry.revocation))
    }
  }

  /// Revokes tokens that nobody may have: of a sign-in that was canceled, or of a session that was replaced.
  func revokeUnwanted(_ tokens: MintedTokens?, session id: SessionID = SessionID(), _ account: Account) {
    guard let tokens, account.provider.supportsRevocation else { return }
    deliver(
      Revocation(
        session: id, account: account.name, provider: account.provider.name, audience: account.provider.audience,
        endpoints: account.provider.endpoints, refreshToken: tokens.refreshToken, accessToken: tokens.accessToken,
        since: time.wall),
      isKept: false)
  }
}

extension Event {
  fileprivate init(_ kind: Kind, _ message: String, of revocation: Revocation, _ reason: String? = nil) {
    self.init(kind, message, account: revocation.account, session: revocation.session, reason: reason)
  }
}

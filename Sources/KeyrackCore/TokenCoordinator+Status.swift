package import KeyrackProtocol

extension TokenCoordinator {
  /// What there is of the accounts that the program may use, from memory.
  package func status(
    _ request: StatusOperation, by caller: Caller
  ) -> Result<StatusOperation.Reply, ReplyError> {
    if let name = request.account, slots[name] == nil, configurationError == nil {
      do throws(ReplyError) { _ = try slot(name) } catch { return .failure(error) }
    }
    let shown = slots.values.filter {
      (request.account == nil || $0.account.name == request.account) && mayUse($0.account.name, caller)
    }
    let owed = outbox.values.filter { mayUse($0.revocation.account, caller) }
    return .success(
      .init(
        accounts: shown.sorted { $0.account.name < $1.account.name }.map(status(of:)),
        keyring: keyring,
        outbox: owed.sorted { $0.revocation.since < $1.revocation.since }.map(status(of:)),
        orphans: orphans.keys.filter { mayUse($0, caller) }.sorted()))
  }

  private func status(of slot: AccountSlot) -> AccountStatus {
    let login = slot.login.map { PendingLogin($0) }
    guard let session = slot.session else { return statusWithoutSession(slot, login) }
    let (now, wall) = (time.now, time.wall)
    let token = session.accessToken.flatMap { $0.isLifetimeAssumed ? nil : $0.remaining(at: now) }
    return AccountStatus(
      account: slot.account.name, provider: slot.account.provider.displayName, state: session.state(at: now),
      since: session.since(at: now, wall: wall), reason: session.reason(at: now), subject: session.record.subject,
      person: slot.person,
      scope: session.record.scope,
      remembered: session.isRemembered, saved: session.isSaved,
      expiresAt: token.map { wall + Int($0.components.seconds) }, refreshedAt: session.record.refreshedAt,
      nextAttemptAt: session.heldUntil.map(wallTime(of:)), refreshExpiresAt: session.record.refreshExpiresAt,
      lastError: lastError(of: session),
      pendingLogin: login)
  }

  /// What a request for a token is told, whether anything has failed or not.
  private func lastError(of session: UserSession) -> StatusError? {
    let (now, wall) = (time.now, time.wall)
    if let reason = session.reason(at: now).flatMap(LoginReason.init), session.denial?.reason != reason {
      let error = ReplyError.loginRequired(session.record.account, reason)
      return StatusError(error, at: session.since(at: now, wall: wall))
    }
    return session.trouble.map { StatusError($0.error, at: $0.at) }
  }

  private func statusWithoutSession(_ slot: AccountSlot, _ login: PendingLogin?) -> AccountStatus {
    let state: AccountState =
      if login != nil {
        .signingIn
      } else if !isLoaded && keyring.state != .ok {
        .keyringLocked
      } else {
        .signedOut
      }
    return AccountStatus(
      account: slot.account.name, provider: slot.account.provider.displayName, state: state,
      since: slot.login?.attempt.since ?? slot.signedOutSince,
      lastError: slot.unusable.map { StatusError($0.error(slot.account.name), at: slot.signedOutSince) },
      pendingLogin: login)
  }

  private func status(of entry: OutboxEntry) -> OwedRevocation {
    OwedRevocation(
      account: entry.revocation.account, since: entry.revocation.since,
      nextAttemptAt: entry.nextAttemptAt.map(wallTime(of:)), lastError: entry.lastError)
  }

  private func wallTime(of instant: ContinuousClock.Instant) -> Int {
    time.wall + Int((instant - time.now).components.seconds)
  }
}

extension PendingLogin {
  fileprivate init(_ login: PendingSignIn) {
    let method = login.attempt.method
    switch login.event {
    case .authorize(let event): self.init(method: method, url: event.url, expiresAt: event.expiresAt)
    case .device(let event):
      self.init(
        method: method, verificationURI: event.verificationURI, userCode: event.userCode, expiresAt: event.expiresAt)
    case nil: self.init(method: method, expiresAt: nil)
    }
  }
}

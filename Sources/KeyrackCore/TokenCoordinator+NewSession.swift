import KeyrackProtocol

// The session that a sign-in ends in.
extension TokenCoordinator {
  /// Makes the grant the session of the account, stores it, and only then lets anybody have a token of it.
  func begin(
    _ grant: Grant, _ identity: Identity?, _ attempt: LoginAttempt, _ account: Account, _ found: Endpoints?,
    sentAt: ContinuousClock.Instant
  ) async throws(ReplyError) -> LoginOperation.Reply {
    let name = account.name
    var record = record(of: grant, account, sentAt: sentAt)
    record.endpoints = found
    record.authTime = identity?.authTime
    let token = AccessToken(
      grant, scope: record.scope, sentAt: sentAt, isRefreshable: record.refreshToken != nil,
      habits: account.provider.habits, random: random())
    slots[name]?.login?.isCommitted = true
    let replaced = slots[name]?.session
    let hadRecord = replaced?.isRemembered ?? (slots[name]?.unusable != nil || !isLoaded)
    slots[name]?.session = UserSession(
      signedIn: record, token: token, remember: attempt.remember, habits: account.provider.habits, wall: time.wall)
    slots[name]?.session?.idToken = IDToken(grant, identity, wall: time.wall)
    slots[name]?.unusable = nil
    if let replaced {
      self.replaced[name, default: []].insert(replaced.id)
      release(replaced)
    }
    var warnings = warnings(about: grant, account)
    if attempt.remember {
      warnings += await storeNew(record, of: name)
    } else if hadRecord {
      warnings += await removeOld(of: name)
    }
    guard self[record.session, of: name] != nil else { throw .loginCanceled(name) }
    awaitedFlights.remove(record.session)
    wake(.refresh(record.session), .settled)
    if let replaced { revokeReplaced(replaced, by: record) }
    return .init(
      account: name, session: record.session.description, subject: record.subject, scope: record.scope,
      remembered: attempt.remember, warnings: warnings)
  }

  private func record(of grant: Grant, _ account: Account, sentAt: ContinuousClock.Instant) -> SessionRecord {
    var record = SessionRecord(
      session: SessionID(), account: account.name, provider: account.provider.name,
      audience: account.provider.audience, subject: grant.subject,
      scope: grant.scope ?? (account.scopes.isEmpty ? nil : account.scopes.joined(separator: " ")),
      refreshToken: grant.refreshToken, obtainedAt: time.wall)
    if let lifetime = grant.refreshLifetime { record.refreshExpiresAt = time.wall + Int(lifetime.components.seconds) }
    if grant.refreshToken == nil {
      record.accessToken = grant.accessToken
      record.tokenType = grant.tokenType
      if let lifetime = grant.lifetime {
        let left = Int((sentAt + lifetime - time.now).components.seconds)
        record.expiresAt = time.wall + left
        record.expiresAtBoot = time.boot.map { BootTime(boot: $0.boot, seconds: $0.seconds + left) }
      }
    }
    return record
  }

  private func storeNew(_ record: SessionRecord, of name: String) async -> [LoginOperation.Warning] {
    var failure: StoreError?
    do throws(StoreError) { try await save(record, overOthers: true) } catch { failure = error }
    _ = self[record.session, of: name]?.stored(1, error: failure, wall: time.wall)
    guard let failure else {
      // It has taken the place of whatever these were about.
      for note in owedRemovals where note.account == name { await settle(note) }
      return []
    }
    saveLater(record.session, of: name, failure)
    let why = ReplyError.keyring(name, failure).message(without: name)
    let message = "not saved, and lost if keyrackd stops before it is: \(why); what to do: keyrack check"
    return [.init(code: "unsaved", message: message)]
  }

  /// Removes what an earlier sign-in stored for an account whose session is not to be remembered.
  private func removeOld(of name: String) async -> [LoginOperation.Warning] {
    let note = EndedSession(account: name, session: nil, at: time.wall)
    if await end(note, owing: nil) { return [] }
    return [
      .init(code: "keyring", message: "what an earlier sign-in stored is removed when the keyring can be written")
    ]
  }

  /// What the person should know of what was granted.
  private func warnings(about grant: Grant, _ account: Account) -> [LoginOperation.Warning] {
    var warnings: [LoginOperation.Warning] = []
    if grant.refreshToken == nil, case .oauth = account.provider.kind {
      let message = "the provider gave no refresh token: sign in again when the access token has ended"
      warnings.append(.init(code: "no_refresh_token", message: message))
    }
    if let granted = grant.scope.map({ Set($0.split(separator: " ").map { $0.lowercased() }) }) {
      // Microsoft lists neither of these, and spells others its own way.
      let missing = account.scopes.filter {
        !["offline_access", "openid"].contains($0) && !granted.contains($0.lowercased())
      }
      if !missing.isEmpty {
        let message = "not granted: \(missing.joined(separator: " "))"
        warnings.append(.init(code: "scope", message: message))
      }
    }
    return warnings
  }

  /// Tells the provider that nobody needs the session any more that a sign-in has replaced: each one left alive counts
  /// against the limit that some providers have (PROVIDERS Q78).
  ///
  /// One that the provider has ended itself needs no word.
  private func revokeReplaced(_ session: UserSession, by record: SessionRecord) {
    if case .loginRequired = session.trouble?.kind { return }
    guard case .oauth? = providers[session.record.provider]?.kind,
      providers[session.record.provider]?.habits.revokesReplaced == true,
      session.record.refreshToken != record.refreshToken,
      let owed = revocation(of: session.record, accessToken: session.accessToken?.secret)
    else { return }
    let first = deliver(owed, isKept: false)
    Task { if case .failed = await first.value { await keepDelivering(owed) } }
  }

  /// Ends a session that another one has replaced.
  func release(_ session: UserSession) {
    saving[session.id]?.cancel()
    withdraw(session.id)
    forgetIntent(of: session)
    writeCounts(of: session.record.account)
    wakeWaiters(ofEnded: session.id)
  }
}

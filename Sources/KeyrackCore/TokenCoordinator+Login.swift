package import KeyrackProtocol

extension TokenCoordinator {
  /// Signs in. Answers when the outcome is known, or the sign-in was canceled.
  package func login(_ request: LoginOperation) async -> Result<LoginOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      let slot = try slot(request.account)
      let credentials = try LoginAttempt.credentials(of: request, for: slot.account)
      let method = try LoginAttempt.method(of: request, for: slot.account)
      if slot.login != nil { throw .loginInProgress(slot.account.name) }
      if let wait = throttle(of: slot.account.provider) {
        throw .throttled(slot.account.name, "the provider asked to slow down").retry(after: wait)
      }
      lastLogin += 1
      let attempt = LoginAttempt(
        number: lastLogin, method: method, remember: request.remember ?? true, since: time.wall)
      return await withCheckedContinuation { continuation in
        let task = Task { await self.signIn(attempt, credentials, slot.account) }
        slot.login = PendingSignIn(attempt: attempt, task: task, continuation: continuation)
      }
    } catch {
      return .failure(error)
    }
  }

  /// Ends the sign-in that is pending. What the provider still grants to it is revoked.
  package func cancel(_ request: CancelOperation) -> Result<CancelOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      let name = try slot(request.account).account.name
      return .success(.init(account: name, canceled: abandonLogin(of: name, .loginCanceled(name))))
    } catch {
      return .failure(error)
    }
  }

  /// Ends the sign-in that is pending, if there is one that the provider has not granted yet.
  @discardableResult
  func abandonLogin(of name: String, _ error: ReplyError) -> Bool {
    guard let login = slots[name]?.login, !login.isCommitted else { return false }
    endLogin(of: name, login.attempt.number, .failure(error))
    return true
  }

  /// Answers the `login` that is pending, if it is the one with that number. Nil: whichever it is.
  func endLogin(of name: String, _ number: Int?, _ result: Result<LoginOperation.Reply, ReplyError>) {
    guard let login = slots[name]?.login, number == nil || login.attempt.number == number else { return }
    slots[name]?.login = nil
    login.continuation.resume(returning: result)
  }

  // MARK: One sign-in

  private func signIn(_ attempt: LoginAttempt, _ credentials: LoginAttempt.Credentials, _ account: Account) async {
    let name = account.name
    do throws(ReplyError) {
      if attempt.remember { try await prepareKeyring(for: name) }
      if let unusable = slots[name]?.unusable, !unusable.isReplaceable { throw unusable.error(name) }
      guard isPending(attempt, account) else { throw .loginCanceled(name) }
      let sentAt = time.now
      let outcome = await ask(credentials, account)
      note(outcome, of: account.provider)
      guard isPending(attempt, account) else {
        revokeUnwanted(outcome.minted, account)
        throw .loginCanceled(name)
      }
      if case .rejected = outcome { revokeUnwanted(outcome.minted, account) }
      var grant = try grant(in: outcome, attempt.method, account)
      if grant.refreshToken == nil, case .refreshToken(let imported) = credentials { grant.refreshToken = imported }
      let reply = try await begin(grant, attempt, account, sentAt: sentAt)
      log.record(.notice, "login", account: name, "signed in")
      endLogin(of: name, attempt.number, .success(reply))
    } catch {
      log.record(.notice, "login_failed", account: name, "sign-in failed: \(error.code.rawValue)")
      endLogin(of: name, attempt.number, .failure(error))
    }
    countSignedIn()
  }

  /// Whether the outcome of that sign-in still counts.
  private func isPending(_ attempt: LoginAttempt, _ account: Account) -> Bool {
    guard let slot = slots[account.name], slot.login?.attempt.number == attempt.number else { return false }
    return slot.account.provider.audience == account.provider.audience
  }

  /// Asks whether the keyring can be written, before anything is sent that can be sent only once.
  private func prepareKeyring(for name: String) async throws(ReplyError) {
    do throws(StoreError) {
      try await observed { () async throws(StoreError) in try await store.prepare(.interactive) }
    } catch { throw .keyring(name, error) }
    await load()
    if !isLoaded { throw .keyring(name, keyring.error) }
    await settleOwed()
  }

  private func ask(_ credentials: LoginAttempt.Credentials, _ account: Account) async -> TokenOutcome {
    switch credentials {
    case .password(let username, let password):
      await provider.signIn(username: username, password: password, account: account)
    case .refreshToken(let token):
      await provider.refresh(token, for: .standard, account: account)
    }
  }

  private func grant(
    in outcome: TokenOutcome, _ method: LoginOperation.Method, _ account: Account
  ) throws(ReplyError) -> Grant {
    let name = account.name
    switch outcome {
    case .success(let grant): return grant
    case .rejected(let rejection): throw refusal(rejection, method, name)
    case .throttled(let message, let retryAfter):
      throw .throttled(name, message).retry(after: retryAfter ?? .seconds(5))
    case .notSent(let message), .unknown(let message, _): throw .temporarilyUnavailable(name, message)
    }
  }

  private func refusal(_ rejection: Rejection, _ method: LoginOperation.Method, _ name: String) -> ReplyError {
    switch rejection.cause {
    // One answer for a wrong password and for an unknown user.
    case .grant where method == .password:
      ReplyError(.loginDenied, "Email or password is incorrect.", hint: "keyrack login \(name)")
    case .grant, .unexplained:
      ReplyError(
        .loginDenied, "\(name): the provider does not accept this refresh token (\(rejection.message))",
        hint: rejection.hint ?? "keyrack login \(name), with a token that was not used before")
    case .client: .clientRefused(name, rejection.message, hint: rejection.hint)
    case .target, .conflict, .request, .answer: .providerError(name, rejection.message, hint: rejection.hint)
    }
  }

  /// Makes the grant the session of the account, stores it, and only then lets anybody have a token of it.
  private func begin(
    _ grant: Grant, _ attempt: LoginAttempt, _ account: Account, sentAt: ContinuousClock.Instant
  ) async throws(ReplyError) -> LoginOperation.Reply {
    let name = account.name
    let record = record(of: grant, account, sentAt: sentAt)
    let token = AccessToken(
      grant, scope: record.scope, sentAt: sentAt, isRefreshable: record.refreshToken != nil,
      habits: account.provider.habits, random: random())
    slots[name]?.login?.isCommitted = true
    let replaced = slots[name]?.session
    let hadRecord = replaced?.isRemembered ?? (slots[name]?.unusable != nil || !isLoaded)
    slots[name]?.session = UserSession(
      signedIn: record, token: token, remember: attempt.remember, habits: account.provider.habits, wall: time.wall)
    slots[name]?.unusable = nil
    if let replaced {
      self.replaced[name, default: []].insert(replaced.id)
      release(replaced)
    }
    var warnings: [LoginOperation.Warning] = []
    if attempt.remember {
      warnings += await storeNew(record, of: name)
    } else if hadRecord {
      warnings += await removeOld(of: name)
    }
    guard self[record.session, of: name] != nil else { throw .loginCanceled(name) }
    awaitedFlights.remove(record.session)
    wake(.refresh(record.session), .settled)
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
    return [.init(code: "unsaved", message: "not saved yet: \(ReplyError.keyring(name, failure).message)")]
  }

  /// Removes what an earlier sign-in stored for an account whose session is not to be remembered.
  private func removeOld(of name: String) async -> [LoginOperation.Warning] {
    let note = EndedSession(account: name, session: nil, at: time.wall)
    if await end(note, owing: nil) { return [] }
    return [
      .init(code: "keyring", message: "what an earlier sign-in stored is removed when the keyring can be written")
    ]
  }

  /// Ends a session that another one has replaced.
  func release(_ session: UserSession) {
    saving[session.id]?.cancel()
    withdraw(session.id)
    forgetIntent(of: session)
    wakeWaiters(ofEnded: session.id)
  }
}

extension ReplyError {
  static func loginInProgress(_ account: String) -> ReplyError {
    ReplyError(
      .loginInProgress, "\(account): another sign-in is under way", hint: "wait for it, or keyrack cancel \(account)")
  }

  static func loginCanceled(_ account: String) -> ReplyError {
    ReplyError(.loginCanceled, "\(account): the sign-in was canceled", hint: "keyrack login \(account)")
  }

  static func throttled(_ account: String, _ message: String) -> ReplyError {
    ReplyError(.throttled, "\(account): \(message)", hint: "wait as long as the provider asks")
  }
}

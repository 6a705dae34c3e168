package import KeyrackProtocol

extension TokenCoordinator {
  /// Signs in. Answers when the outcome is known, or the sign-in was canceled; `notify` is told before that what is asked
  /// of the person. A second request for the same joins the first.
  package func login(
    _ request: LoginOperation, notify: @escaping @Sendable (LoginEvent) -> Void = { _ in }
  ) async -> Result<LoginOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      let slot = try slot(request.account)
      let plan = try LoginPlan(request, for: slot.account)
      if let pending = slot.login {
        guard pending.attempt.isJoined(by: plan, request) else { throw .loginInProgress(slot.account.name) }
        return await withCheckedContinuation {
          slot.login?.join(LoginClient(continuation: $0, notify: notify))
        }
      }
      if let wait = throttle(of: slot.account.provider) {
        throw .throttled(slot.account.name, "the provider asked to slow down").retry(after: wait)
      }
      lastLogin += 1
      let attempt = LoginAttempt(number: lastLogin, plan: plan, request: request, since: time.wall)
      return await withCheckedContinuation { continuation in
        let task = Task { await self.signIn(attempt, plan, slot.account) }
        slot.login = PendingSignIn(
          attempt: attempt, task: task, client: LoginClient(continuation: continuation, notify: notify))
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
    login.authorization?.continuation?.resume(returning: nil)
    endedLogins[login.attempt.number] = CallbackPage(result)
    endedLogins[login.attempt.number - 64] = nil
    for client in login.clients { client.continuation.resume(returning: result) }
  }

  // MARK: One sign-in

  private func signIn(_ attempt: LoginAttempt, _ plan: LoginPlan, _ account: Account) async {
    let name = account.name
    do throws(ReplyError) {
      if attempt.remember { try await prepareKeyring(for: name) }
      if let unusable = slots[name]?.unusable, !unusable.isReplaceable { throw unusable.error(name) }
      let found = try await discoverEndpoints(of: account)
      guard isPending(attempt, account) else { throw .loginCanceled(name) }
      let reply = try await signIn(attempt, plan, account.completed(by: found), found)
      log.record(.notice, "login", account: name, "signed in")
      endLogin(of: name, attempt.number, .success(reply))
    } catch {
      log.record(.notice, "login_failed", account: name, "sign-in failed: \(error.code.rawValue)")
      endLogin(of: name, attempt.number, .failure(error))
    }
    countSignedIn()
  }

  /// From the first request that is the sign-in's own to the session.
  private func signIn(
    _ attempt: LoginAttempt, _ plan: LoginPlan, _ account: Account, _ found: Endpoints?
  ) async throws(ReplyError) -> LoginOperation.Reply {
    let name = account.name
    let answer = try await ask(plan, attempt, account)
    note(answer.outcome, of: account.provider)
    guard isPending(attempt, account) else {
      revokeUnwanted(answer.outcome.minted, account)
      throw .loginCanceled(name)
    }
    if case .rejected = answer.outcome { revokeUnwanted(answer.outcome.minted, account) }
    var grant = try grant(in: answer.outcome, attempt.method, account)
    if grant.refreshToken == nil, case .refreshToken(let imported) = plan { grant.refreshToken = imported }
    let identity: Identity?
    do throws(ReplyError) { identity = try await identify(grant, answer.nonce, attempt, account) } catch {
      revokeUnwanted(MintedTokens(refreshToken: grant.refreshToken, accessToken: grant.accessToken), account)
      throw error
    }
    guard isPending(attempt, account) else {
      revokeUnwanted(answer.outcome.minted, account)
      throw .loginCanceled(name)
    }
    grant.subject = identity?.subject
    await findPerson(of: account)
    return try await begin(grant, identity, attempt, account, found, sentAt: answer.sentAt)
  }

  /// Whether the outcome of that sign-in still counts.
  func isPending(_ attempt: LoginAttempt, _ account: Account) -> Bool {
    guard let slot = slots[account.name], slot.login?.attempt.number == attempt.number else { return false }
    return slot.account.provider.audience.accepts(account.provider.audience)
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

  /// Gets the grant, by whatever way the plan is.
  private func ask(_ plan: LoginPlan, _ attempt: LoginAttempt, _ account: Account) async throws(ReplyError)
    -> LoginAnswer
  {
    switch plan {
    case .password(let username, let password):
      let sentAt = time.now
      let outcome = await provider.signIn(username: username, password: password, account: account)
      return LoginAnswer(outcome: outcome, sentAt: sentAt)
    case .refreshToken(let token):
      let sentAt = time.now
      return LoginAnswer(
        outcome: await provider.refresh(token, for: .standard, account: account), sentAt: sentAt)
    case .browser(let hint): return try await authorize(attempt, hint, byListener: true, account)
    case .paste(let hint): return try await authorize(attempt, hint, byListener: false, account)
    case .device: return try await authorizeDevice(attempt, account)
    }
  }

  func grant(
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
    case .grant where method == .password, .unexplained where method == .password:
      ReplyError(.loginDenied, "Email or password is incorrect.", hint: "keyrack login \(name)")
    case .grant where method != .refreshToken, .unexplained where method != .refreshToken:
      ReplyError(
        .loginFailed, "\(name): the provider refuses the sign-in (\(rejection.message))",
        hint: rejection.hint ?? "keyrack login \(name)")
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
    _ grant: Grant, _ identity: Identity?, _ attempt: LoginAttempt, _ account: Account, _ found: Endpoints?,
    sentAt: ContinuousClock.Instant
  ) async throws(ReplyError) -> LoginOperation.Reply {
    let name = account.name
    var record = record(of: grant, account, sentAt: sentAt)
    record.endpoints = found
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
    wakeWaiters(ofEnded: session.id)
  }
}

/// What a provider answered to a sign-in.
struct LoginAnswer {
  let outcome: TokenOutcome
  let sentAt: ContinuousClock.Instant
  /// That of the authorization request.
  var nonce: String?
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

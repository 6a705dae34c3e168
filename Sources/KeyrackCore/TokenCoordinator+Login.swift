package import KeyrackProtocol

extension TokenCoordinator {
  /// Signs in. Answers when the outcome is known, or the sign-in was canceled; `notify` is told before that what is asked
  /// of the person. A second request for the same joins the first.
  package func login(
    _ request: LoginOperation, by caller: Caller, notify: @escaping @Sendable (LoginEvent) -> Void = { _ in }
  ) async -> Result<LoginOperation.Reply, ReplyError> {
    let request = storage == .memory ? request.notRemembered : request
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
        let task = Task { await self.signIn(attempt, plan, slot.account, by: caller) }
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

  private func signIn(_ attempt: LoginAttempt, _ plan: LoginPlan, _ account: Account, by caller: Caller) async {
    let name = account.name
    do throws(ReplyError) {
      if attempt.remember { try await prepareKeyring(for: name) }
      if let unusable = slots[name]?.unusable, !unusable.isReplaceable { throw unusable.error(name) }
      let found = try await discoverEndpoints(of: account)
      guard isPending(attempt, account) else { throw .loginCanceled(name) }
      let reply = try await signIn(attempt, plan, account.completed(by: found), found)
      reportSignIn(reply, by: caller)
      endLogin(of: name, attempt.number, .success(reply))
    } catch {
      reportSignIn(error, to: name, by: caller)
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
        hint: rejection.hint ?? .again(name, method))
    case .grant, .unexplained:
      ReplyError(
        .loginDenied, "\(name): the provider does not accept this refresh token (\(rejection.message))",
        hint: rejection.hint ?? "keyrack login \(name), with a token that was not used before")
    case .client: .clientRefused(name, rejection.message, hint: rejection.hint)
    case .target, .conflict, .request, .answer: .providerError(name, rejection.message, hint: rejection.hint)
    }
  }
}

extension LoginOperation {
  fileprivate var notRemembered: LoginOperation {
    LoginOperation(
      account: account, method: method, username: username, password: password, refreshToken: refreshToken,
      remember: false, force: force)
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

  /// Without the name of the account, for where that stands already.
  func message(without account: String) -> String { String(message.trimmingPrefix("\(account): ")) }

  static func loginCanceled(_ account: String) -> ReplyError {
    ReplyError(.loginCanceled, "\(account): the sign-in was canceled", hint: "keyrack login \(account)")
  }

  static func throttled(_ account: String, _ message: String) -> ReplyError {
    ReplyError(.throttled, "\(account): \(message)", hint: "wait as long as the provider asks")
  }
}

extension String {
  /// The command that tries a sign-in once more, in the same way where that is not the usual one.
  static func again(_ account: String, _ method: LoginOperation.Method) -> String {
    switch method {
    case .device: "keyrack login \(account) --device"
    case .paste: "keyrack login \(account) --paste"
    case .password, .browser, .refreshToken: "keyrack login \(account)"
    }
  }
}

package import KeyrackProtocol

extension TokenCoordinator {
  /// The answer that can be given at once: a token in memory, or a refusal that no waiting would change. Nil where
  /// something has to be done first; ``token(_:)`` does it.
  package func tokenAtOnce(
    _ request: TokenOperation, by caller: Caller
  ) -> Result<TokenOperation.Reply, ReplyError>? {
    do throws(ReplyError) {
      let slot = try slot(for: request, caller)
      let need = try requirement(of: request, for: slot)
      if slot.account.policy.confirms, !isConfirmed(slot.account, for: caller) { return nil }
      if request.kind == .id {
        guard let reply = try idTokenInMemory(request, of: slot) else { return nil }
        granted(reply.token, request, of: slot, to: caller)
        return .success(reply)
      }
      let now = time.now
      guard let token = slot.tokenAtOnce(need, now: now) else { return nil }
      if need.target != .standard || !isPlanned(by: token.refreshAt) { planRefresh(of: slot) }
      let reply = try reply(token, true, request, of: slot)
      granted(reply.token, request, of: slot, to: caller)
      return .success(reply)
    } catch {
      return .failure(error)
    }
  }

  /// An access token, after the person's consent or a refresh where one is needed. Who asks is held to the account's
  /// policy before anything is done and, since that may have changed meanwhile, before anything is handed out.
  package func token(
    _ request: TokenOperation, by caller: Caller
  ) async -> Result<TokenOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      if isStopping { throw .shuttingDown }
      let slot = try slot(for: request, caller)
      let timeout = min(request.timeout ?? TokenOperation.defaultTimeout, TokenOperation.maximumSeconds)
      let deadline = time.now + .seconds(timeout)
      _ = try requirement(of: request, for: slot)
      try await confirm(slot.account, for: caller, before: deadline)
      let reply = try await token(request, of: slot, before: deadline)
      try authorize(slot.account.name, by: caller)
      granted(reply.token, request, of: slot, to: caller)
      return .success(reply)
    } catch {
      return .failure(error)
    }
  }

  private func token(
    _ request: TokenOperation, of slot: AccountSlot, before deadline: ContinuousClock.Instant
  ) async throws(ReplyError) -> TokenOperation.Reply {
    let name = slot.account.name
    if slot.session == nil {
      try await findSession(of: name, before: deadline)
    } else {
      try await lookAgain(try requirement(of: request, for: slot), for: name, before: deadline)
    }
    guard let id = slots[name]?.session?.id else { throw signedOut(name) }
    let need = try requirement(of: request, for: slot)
    if request.kind == .id {
      return try await idToken(request, need, session: id, of: slot, before: deadline)
    }
    let (token, isMet) = try await accessToken(need, session: id, of: name, before: deadline)
    return try reply(token, isMet, request, of: slot)
  }

  // MARK: What is asked for

  private func slot(for request: TokenOperation, _ caller: Caller) throws(ReplyError) -> AccountSlot {
    switch (request.account, request.issuer) {
    case (let name?, nil):
      // One look for both questions, where all is well.
      if let slot = slots[name], slot.account.name.utf8.count == name.utf8.count,
        slot.account.policy.denial(of: caller.program) == nil
      {
        return slot
      }
      try authorize(name, by: caller)
      return try slot(name)
    case (nil, let issuer?): return try slot(try account(of: issuer, caller))
    case (nil, nil): throw ReplyError(.badRequest, "account: missing", hint: "name an account or an issuer")
    case (_?, _?): throw ReplyError(.badRequest, "issuer: either account or issuer, not both")
    }
  }

  /// Of those that the program may use. To one that may use none, no account has any issuer.
  private func account(of issuer: String, _ caller: Caller) throws(ReplyError) -> String {
    if let configurationError {
      try authorize(nil, by: caller)
      throw configurationError.reply
    }
    let names = slots.values.filter {
      $0.account.provider.audience.issuer.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false
    }.map(\.account.name).filter { mayUse($0, caller) }.sorted()
    guard let name = names.first else {
      try authorize(nil, by: caller)
      throw ReplyError(.unknownAccount, "no account has this issuer", hint: "keyrack status lists the accounts")
    }
    if names.count > 1 {
      throw ReplyError(
        .ambiguousAccount, "several accounts have this issuer: \(names.joined(separator: ", "))",
        hint: "ask for one of them by account")
    }
    return name
  }

  private func requirement(
    of request: TokenOperation, for slot: AccountSlot
  ) throws(ReplyError) -> TokenRequirement {
    let minimum = request.minimumValidity ?? TokenOperation.defaultMinimumValidity
    guard minimum >= 0 else { throw ReplyError(.badRequest, "min_valid: expected 0 seconds or more") }
    guard request.timeout ?? 0 >= 0 else { throw ReplyError(.badRequest, "timeout: expected 0 seconds or more") }
    let target = try target(of: request, for: slot)
    return TokenRequirement(
      minimumValidity: .seconds(minimum), rejected: rejected(request.rejected, target, of: slot), target: target)
  }

  /// What the token is to be for: nothing in particular where what everybody gets will do.
  private func target(of request: TokenOperation, for slot: AccountSlot) throws(ReplyError) -> TokenTarget {
    if request.scope == nil && request.resource == nil { return .standard }
    let asked = Self.words(request.scope ?? "")
    let account = slot.account
    let resources = request.resource?.uris ?? []
    if !resources.isEmpty, case .json = account.provider.kind {
      throw ReplyError(.badRequest, "resource: the provider of \(account.name) knows no resources")
    }
    guard let session = slot.session else { return .standard }
    let standard = session.accessToken?.scope ?? session.record.scope
    let isStandard = asked.isSubset(of: standard.map(Self.words) ?? Set(account.scopes))
    if isStandard && resources.isEmpty { return .standard }
    guard isStandard || asked.isSubset(of: Self.words(session.record.scope ?? "").union(account.scopes)) else {
      throw .loginRequired(account.name, .scope)
    }
    return TokenTarget(scopes: asked, resources: resources)
  }

  /// The rejected token itself, where it is the current one.
  private func rejected(_ rejected: Secret?, _ target: TokenTarget, of slot: AccountSlot) -> Secret? {
    guard let rejected else { return nil }
    let prefix = Array("sha256:".utf8)
    guard rejected.bytes.starts(with: prefix) else { return rejected }
    guard let current = slot.session?.token(for: target)?.secret else { return nil }
    let asked = String(decoding: rejected.bytes.dropFirst(prefix.count), as: UTF8.self).lowercased()
    return asked == digest.sha256(current.bytes) ? current : nil
  }

  // MARK: The answer

  private func reply(
    _ token: AccessToken, _ isMet: Bool, _ request: TokenOperation, of slot: AccountSlot
  ) throws(ReplyError) -> TokenOperation.Reply {
    let account = slot.account
    if let asked = request.scope,
      !Self.words(asked).isSubset(of: token.scope.map(Self.words) ?? Set(account.scopes))
    {
      throw .loginRequired(account.name, .scope)
    }
    var left: Int?
    if !token.isLifetimeAssumed, let remaining = token.remaining(at: time.now) {
      left = max(0, Int(remaining.components.seconds))
    }
    return TokenOperation.Reply(
      account: account.name, token: token.secret, tokenType: token.type, expiresAt: left.map { time.wall + $0 },
      expiresIn: left, scope: token.scope, minimumValidityMet: isMet)
  }

  private static func words(_ scope: String) -> Set<String> { Set(scope.split(separator: " ").map(String.init)) }

  func signedOut(_ name: String) -> ReplyError {
    if let unusable = slots[name]?.unusable { return unusable.error(name) }
    return .loginRequired(name, slots[name]?.login == nil ? .signedOut : .signingIn)
  }

  // MARK: Waiting

  func accessToken(
    _ need: TokenRequirement, session id: SessionID, of name: String, before deadline: ContinuousClock.Instant
  ) async throws(ReplyError) -> (AccessToken, Bool) {
    while true {
      if isStopping { throw .shuttingDown }
      guard slots[name]?.session?.id == id, let action = slots[name]?.session?.tokenRequested(need, now: time.now)
      else { throw .sessionEnded(name) }
      var isForTarget = true
      switch action {
      case .serve(let token, let isMet): return (token, isMet)
      case .refuse(let error): throw error
      case .refresh(let attempt): beginRefresh(attempt, session: id, of: name, isAwaited: true)
      case .wait(let isSame):
        isForTarget = isSame
        flightIsAwaited(id)
      }
      let attempt = slots[name]?.session?.flight?.attempt
      try await awaitRefresh(of: id, name, before: deadline)
      guard let session = slots[name]?.session, session.id == id else { throw .sessionEnded(name) }
      // One refresh token is spent at a time: that was for somebody else, now it is our turn.
      guard isForTarget, session.flight?.attempt != attempt else { continue }
      switch session.tokenAwaited(need, now: time.now) {
      case .serve(let token, let isMet): return (token, isMet)
      case .refuse(let error): throw error
      case .wait, .refresh: throw .timeout(name)
      }
    }
  }

  private func awaitRefresh(
    of id: SessionID, _ name: String, before deadline: ContinuousClock.Instant
  ) async throws(ReplyError) {
    switch await wait(for: .refresh(id), before: deadline) {
    case .settled: return
    case .ended: throw .sessionEnded(name)
    case .timedOut: throw .timeout(name)
    case .shuttingDown: throw .shuttingDown
    }
  }

  /// Leaving early cancels nothing.
  func wait(for awaited: Awaited, before deadline: ContinuousClock.Instant) async -> Wake {
    lastWaiter += 1
    let number = lastWaiter
    let alarm = Task {
      do { try await time.sleep(until: deadline) } catch { return }
      waiters[awaited]?.removeValue(forKey: number)?.resume(returning: .timedOut)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiters[awaited, default: [:]][number] = $0 }
  }

  /// Lets all who wait for that go on.
  func wake(_ awaited: Awaited, _ wake: Wake) {
    guard let waiting = waiters.removeValue(forKey: awaited) else { return }
    for continuation in waiting.values { continuation.resume(returning: wake) }
  }

  /// Whoever waits for something of that session waits no longer.
  func wakeWaiters(ofEnded id: SessionID) {
    wake(.refresh(id), .ended)
    wake(.look(id), .ended)
  }
}

extension UnusableRecord {
  func error(_ account: String) -> ReplyError {
    let remedy = isReplaceable ? "keyrack login \(account) replaces it" : "upgrade Keyrack"
    return ReplyError(
      .keyringError, "\(account): its session in the keyring cannot be used: \(message)",
      hint: "\(remedy); keyrack logout \(account) removes it")
  }
}

extension ReplyError {
  static func sessionEnded(_ account: String) -> ReplyError {
    ReplyError(
      .sessionEnded, "\(account): the session ended while this request waited", hint: "keyrack login \(account)")
  }

  static func timeout(_ account: String) -> ReplyError {
    ReplyError(.timeout, "\(account): no token within the time asked for; the refresh goes on", hint: "ask again")
  }
}

import KeyrackProtocol

// Tokens of `kind: id`.
extension TokenCoordinator {
  /// The one in memory, where it is good for as long as was asked. Throws where asking the provider would not help.
  func idTokenInMemory(
    _ request: TokenOperation, of slot: AccountSlot
  ) throws(ReplyError) -> TokenOperation.Reply? {
    if request.scope != nil || request.resource != nil || request.rejected != nil {
      throw ReplyError(.badRequest, "kind: an id token has no scope, resource or rejected", hint: "leave these out")
    }
    guard let session = slot.session, !session.isSetAside else { return nil }
    if let token = session.idToken, token.isGood(for: request, wall: time.wall) {
      return reply(token, isMet: true, of: slot)
    }
    if let error = uncheckedIDToken(of: session) {
      guard let token = session.idToken, token.expiresAt > time.wall else { throw error }
      return reply(token, isMet: false, of: slot)
    }
    if session.isIDTokenFutile { throw noIDToken(slot.account.name) }
    return nil
  }

  /// How long to leave a provider alone whose keys cannot be had: each id_token more costs it a refresh.
  private static let keysRest = Duration.seconds(60)

  func idTokenWasNotChecked(_ error: ReplyError, session id: SessionID, of name: String) {
    self[id, of: name]?.uncheckedIDToken = (error, time.now + Self.keysRest)
  }

  private func uncheckedIDToken(of session: UserSession) -> ReplyError? {
    guard let unchecked = session.uncheckedIDToken, time.now < unchecked.until else { return nil }
    return unchecked.error.retry(after: unchecked.until - time.now)
  }

  /// The same after a refresh. Some providers give no id_token with one: then the person has to sign in for it.
  func idToken(
    _ request: TokenOperation, _ need: TokenRequirement, session id: SessionID, of slot: AccountSlot,
    before deadline: ContinuousClock.Instant
  ) async throws(ReplyError) -> TokenOperation.Reply {
    let name = slot.account.name
    if let reply = try idTokenInMemory(request, of: slot) { return reply }
    let spent = slots[name]?.session?.accessToken?.secret
    let fresh = TokenRequirement(minimumValidity: .zero, rejected: spent, target: .standard)
    do throws(ReplyError) {
      _ = try await accessToken(fresh, session: id, of: name, before: deadline)
    } catch {
      guard let token = slots[name]?.session?.idToken, token.expiresAt > time.wall else { throw error }
      return reply(token, isMet: false, of: slot)
    }
    guard slots[name]?.session?.id == id else { throw .sessionEnded(name) }
    if let token = slots[name]?.session?.idToken, token.expiresAt > time.wall {
      return reply(token, isMet: token.isGood(for: request, wall: time.wall), of: slot)
    }
    if let session = slots[name]?.session, let error = uncheckedIDToken(of: session) { throw error }
    slots[name]?.session?.idTokenDidNotCome()
    throw noIDToken(name)
  }

  private func reply(_ token: IDToken, isMet: Bool, of slot: AccountSlot) -> TokenOperation.Reply {
    TokenOperation.Reply(
      account: slot.account.name, token: token.secret, kind: .id, tokenType: "Bearer", expiresAt: token.expiresAt,
      expiresIn: max(0, token.expiresAt - time.wall), scope: nil, minimumValidityMet: isMet)
  }

  private func noIDToken(_ name: String) -> ReplyError {
    .loginRequired(
      name, .noIDToken, hint: "the scopes of [account \(name)] need openid")
  }
}

/// An id_token that was checked.
package struct IDToken: Sendable, Equatable {
  let secret: Secret
  /// Unix seconds.
  let expiresAt: Int
  /// Seconds.
  let lifetime: Int

  /// Nil where there is none.
  init?(_ grant: Grant, _ identity: Identity?, wall: Int) {
    guard let secret = grant.idToken, let expiresAt = identity?.idTokenExpiresAt else { return nil }
    self.secret = secret
    self.expiresAt = expiresAt
    lifetime = max(0, expiresAt - wall)
  }

  /// Half of its lifetime is as much as anybody may ask for, as with access tokens.
  func isGood(for request: TokenOperation, wall: Int) -> Bool {
    let asked = request.minimumValidity ?? TokenOperation.defaultMinimumValidity
    return expiresAt - wall > min(asked, lifetime / 2)
  }
}

extension UserSession {
  /// A refresh has brought no id_token, and the next would not either.
  mutating func idTokenDidNotCome() { withoutIDToken = accessToken?.secret }

  var isIDTokenFutile: Bool { withoutIDToken != nil && withoutIDToken == accessToken?.secret }
}

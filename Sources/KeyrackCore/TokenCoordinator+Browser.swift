package import KeyrackProtocol

extension TokenCoordinator {
  /// Has the person sign in with a browser (RFC 8252), and spends the code that it comes back with.
  func authorize(
    _ attempt: LoginAttempt, _ loginHint: String?, byListener: Bool, _ account: Account
  ) async throws(ReplyError) -> LoginAnswer {
    let redirect = try redirect(of: account)
    // Nobody can listen at an https address: what the browser ends on has to be pasted there, too.
    guard byListener, case .loopback = redirect.place else {
      return try await authorize(attempt, loginHint, comingTo: redirect.pasteText, account)
    }
    let uri = try await open(redirect, account.name)
    do throws(ReplyError) {
      let answer = try await authorize(attempt, loginHint, comingTo: uri, account)
      await redirects.close(uri)
      return answer
    } catch {
      await redirects.close(uri)
      throw error
    }
  }

  private func redirect(of account: Account) throws(ReplyError) -> RedirectURI {
    do throws(RedirectError) { return try RedirectURI(of: account.provider) } catch {
      throw ReplyError(.configError, "\(account.name): \(error.message)", hint: error.hint)
    }
  }

  private func open(_ redirect: RedirectURI, _ name: String) async throws(ReplyError) -> String {
    do throws(RedirectError) { return try await redirects.open(redirect) } catch {
      throw ReplyError(.loginFailed, "\(name): \(error.message)", hint: error.hint)
    }
  }

  private func authorize(
    _ attempt: LoginAttempt, _ loginHint: String?, comingTo redirectURI: String, _ account: Account
  ) async throws(ReplyError) -> LoginAnswer {
    let name = account.name
    let wish = AuthorizationWish(redirectURI: redirectURI, loginHint: loginHint)
    let request: AuthorizationRequest
    switch await signIns.authorize(wish, account: account) {
    case .success(let made): request = made
    case .failure(let failure): throw self.failure(failure, attempt.method, name)
    }
    let wait = min(LoginAttempt.lifetime, request.lifetime ?? LoginAttempt.lifetime)
    guard isPending(attempt, account) else { throw .loginCanceled(name) }
    let response = try await response(to: request, attempt, name, within: wait)
    await keepPerson(in: response, of: name)
    let code = try response.code(for: request, account, attempt.method)
    let sentAt = time.now
    let outcome = await signIns.exchange(code, of: request, account: account)
    return LoginAnswer(outcome: outcome, sentAt: sentAt, nonce: request.nonce)
  }

  /// Waits for the browser to come back.
  private func response(
    to request: AuthorizationRequest, _ attempt: LoginAttempt, _ name: String, within wait: Duration
  ) async throws(ReplyError) -> AuthorizationResponse {
    let deadline = time.now + wait
    let alarm = Task {
      do { try await time.sleep(until: deadline) } catch { return }
      endLogin(of: name, attempt.number, .failure(.loginExpired(name, attempt.method)))
    }
    defer { alarm.cancel() }
    let response: AuthorizationResponse? = await withCheckedContinuation { continuation in
      guard slots[name]?.login?.attempt.number == attempt.number else { return continuation.resume(returning: nil) }
      slots[name]?.login?.authorization = PendingAuthorization(request: request, continuation: continuation)
      let expiresAt = time.wall + Int(wait.components.seconds)
      slots[name]?.login?.announce(.authorize(.init(url: request.url, expiresAt: expiresAt)))
    }
    guard let response else { throw .loginCanceled(name) }
    return response
  }

  // MARK: The response

  /// What a browser brought to the listener at that redirect URI. Returns what to show there, once it is known whether the
  /// sign-in has worked.
  package func authorizationResponded(
    _ response: AuthorizationResponse, at redirectURI: String
  ) async -> CallbackPage {
    guard let state = response.state else { return .unknownState }
    if usedStates.contains(where: { $0.isEqualInConstantTime(to: state) }) { return .alreadyUsed }
    guard let name = pendingAuthorization(state),
      let login = slots[name]?.login, login.authorization?.request.redirectURI == redirectURI
    else { return .unknownState }
    hand(response, to: name)
    await login.task.value
    return endedLogins[login.attempt.number] ?? .failed("The sign-in was ended.")
  }

  /// What the person has pasted.
  package func loginResponded(
    _ request: LoginResponseOperation
  ) -> Result<LoginResponseOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      let name = try slot(request.account).account.name
      guard let login = slots[name]?.login, let authorization = login.authorization,
        authorization.continuation != nil
      else {
        throw ReplyError(
          .noLoginPending, "\(name): no sign-in waits for an address", hint: "keyrack login \(name) --paste")
      }
      let response: AuthorizationResponse?
      do throws(RedirectError) {
        response = try redirects.response(in: request.url, at: authorization.request.redirectURI)
      } catch {
        throw ReplyError(.badRequest, "url: \(error.message)", hint: error.hint)
      }
      guard let response, let state = response.state, authorization.request.state.isEqualInConstantTime(to: state)
      else {
        throw ReplyError(
          .stateMismatch, "\(name): this address is not of this sign-in",
          hint: "paste the address that the browser ended on for the URL that was shown last")
      }
      hand(response, to: name)
      return .success(.init(account: name))
    } catch {
      return .failure(error)
    }
  }

  private func pendingAuthorization(_ state: String) -> String? {
    slots.values.first {
      guard let authorization = $0.login?.authorization, authorization.continuation != nil else { return false }
      return authorization.request.state.isEqualInConstantTime(to: state)
    }?.account.name
  }

  /// A code is spent once, and a state is of use once.
  private func hand(_ response: AuthorizationResponse, to name: String) {
    guard let authorization = slots[name]?.login?.authorization else { return }
    usedStates.append(authorization.request.state)
    if usedStates.count > Self.rememberedStates { usedStates.removeFirst() }
    slots[name]?.login?.authorization?.continuation = nil
    authorization.continuation?.resume(returning: response)
  }

  private static let rememberedStates = 64
}

extension AuthorizationResponse {
  /// The code, where the response is one of success and comes from whom was asked (RFC 9207, section 2.4).
  func code(
    for request: AuthorizationRequest, _ account: Account, _ method: LoginOperation.Method
  ) throws(ReplyError) -> Secret {
    let name = account.name
    // django-oauth-toolkit promises its issuer, and leaves it out where somebody says no. No code can be mixed up then.
    if issuer == nil, let error { throw refusal(error, name, method) }
    guard isFrom(account.provider) else {
      throw ReplyError(
        .loginFailed, "\(name): the answer in the browser comes from another issuer than the one that was asked",
        hint: "check issuer of its provider in keyrack.conf; if it is right, somebody tries to mix up your sign-ins")
    }
    if let error { throw refusal(error, name, method) }
    guard let code else {
      throw ReplyError(
        .loginFailed, "\(name): the browser came back without a code", hint: .again(name, method))
    }
    return code
  }

  private func isFrom(_ provider: Provider) -> Bool {
    guard case .oauth(let oauth) = provider.kind else { return false }
    guard let issuer else { return !oauth.endpoints.promisesIssuer }
    if let expected = oauth.issuer { return expected.utf8.elementsEqual(issuer.utf8) }
    // None is configured: then it has to be where the browser was sent (PROVIDERS Q61).
    return Self.origin(issuer) == oauth.endpoints.authorization.map(Self.origin)
  }

  /// Scheme and authority.
  private static func origin(_ url: String) -> [Substring] {
    Array(url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3))
  }

  private func refusal(_ error: String, _ name: String, _ method: LoginOperation.Method) -> ReplyError {
    let said = [error, errorDescription].compactMap { $0?.inOneLine }.joined(separator: ": ")
    return switch error {
    case "access_denied":
      ReplyError(.loginDenied, "\(name): the sign-in was refused (\(said))", hint: .again(name, method))
    case "temporarily_unavailable", "server_error": .temporarilyUnavailable(name, "the provider failed (\(said))")
    default:
      ReplyError(
        .loginFailed, "\(name): the provider refuses the sign-in (\(said))",
        hint: "check client_id, scopes and redirect_uri in keyrack.conf")
    }
  }
}

extension String {
  /// Takes as long for a wrong one as for the right one of the same length.
  func isEqualInConstantTime(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // `^` binds no tighter than `|` in Swift.
    return zip(utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Text from elsewhere, fit for a message.
  fileprivate var inOneLine: String {
    String(
      prefix(200).map {
        $0.isNewline || $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0
      })
  }
}

extension ReplyError {
  static func loginExpired(_ account: String, _ method: LoginOperation.Method) -> ReplyError {
    let message =
      method == .device ? "the code has expired before anybody signed in" : "the sign-in was not finished in time"
    return ReplyError(.loginExpired, "\(account): \(message)", hint: .again(account, method))
  }
}

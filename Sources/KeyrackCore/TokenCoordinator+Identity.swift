import KeyrackProtocol

extension TokenCoordinator {
  /// Who signed in. Throws where the provider says something that cannot be true, or it is somebody else than last time.
  func identify(
    _ grant: Grant, _ nonce: String?, _ attempt: LoginAttempt, _ account: Account
  ) async throws(ReplyError) -> Identity? {
    let name = account.name
    guard case .oauth = account.provider.kind else { return nil }
    switch await signIns.identify(grant, at: .signIn(nonce: nonce), account: account) {
    case .failure(let failure): throw self.failure(failure, attempt.method, name)
    case .success(let identity):
      if let subject = identity?.subject, let last = slots[name]?.session?.record.subject, !attempt.force,
        !last.utf8.elementsEqual(subject.utf8)
      {
        throw ReplyError(
          .subjectMismatch, "\(name): \(subject) signed in, and last time it was \(last): nothing has changed",
          hint: "keyrack login \(name) --force, if that is meant")
      }
      return identity
    }
  }

  /// The endpoints that the issuer names, where they are not all configured.
  func discoverEndpoints(of account: Account) async throws(ReplyError) -> Endpoints? {
    guard case .oauth(let oauth) = account.provider.kind, oauth.discovery != .none else { return nil }
    switch await signIns.discover(account.provider) {
    case .success(let metadata): return metadata.endpoints
    case .failure(let failure): throw self.failure(failure, nil, account.name)
    }
  }

  func failure(_ failure: RequestFailure, _ method: LoginOperation.Method?, _ name: String) -> ReplyError {
    switch failure {
    case .rejected(let rejection):
      switch rejection.cause {
      case .client: .clientRefused(name, rejection.message, hint: rejection.hint)
      case .grant, .unexplained, .target, .conflict, .request, .answer:
        .providerError(name, rejection.message, hint: rejection.hint)
      }
    case .throttled(let message, let wait): .throttled(name, message).retry(after: wait ?? .seconds(5))
    case .unavailable(let message, let hint): .temporarilyUnavailable(name, message, hint: hint)
    }
  }
}

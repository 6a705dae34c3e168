import KeyrackCore
import KeyrackProtocol

/// An answer that is no grant, and what was found in it.
struct Refusal {
  let response: HTTPResponse
  /// Nil where the body is neither JSON nor a form.
  let members: AnswerMembers?
  let error: AnswerError?
  /// Of the error, where it is known.
  let meaning: ErrorMeaning?

  init(_ response: HTTPResponse, _ habits: ProviderHabits) {
    self.response = response
    members = AnswerMembers(response)
    error = members.flatMap { AnswerError($0, isFailure: !response.isSuccess) }
    meaning = error?.meaning(habits)
  }

  var status: Int { response.status }
  var retryAfter: Duration? { RetryAfter.duration(response.retryAfter) }
}

extension TokenAnswer {
  func refusal(_ refusal: Refusal) -> TokenOutcome {
    if let outcome = byStatusAlone(refusal) ?? byStatusOfLogin(refusal) ?? byCode(refusal) { return outcome }
    let message = message(refusal)
    guard refusal.response.isSuccess else { return byStatus(refusal, message) }
    if refusal.error == nil { return nonsense("\(message), which is no token") }
    // A code that nobody knows. It is a refusal, so the refresh token was not spent, and not one of that token.
    return refused(purpose == .refresh ? .answer : .request, message, hint: hint(refusal), newRefreshToken(refusal))
  }

  private func byStatusAlone(_ refusal: Refusal) -> TokenOutcome? {
    switch refusal.status {
    case 408, 425, 429: throttled(refusal)
    case 503 where refusal.retryAfter != nil || refusal.meaning == .transient: throttled(refusal)
    case 500...: .unknown(message(refusal), retryAfter: refusal.retryAfter)
    default: nil
    }
  }

  /// Of a JSON login the status says it all, unless the configuration knows the code, or the login means to answer later.
  /// A web page is not from the login, but from something in its way.
  private func byStatusOfLogin(_ refusal: Refusal) -> TokenOutcome? {
    guard case .json = kind, refusal.error?.configured(habits) == nil, refusal.meaning != .transient else { return nil }
    switch purpose {
    case .signIn:
      guard [400, 401, 403, 404, 422].contains(refusal.status) else { return nil }
      return refused(.grant(.revoked), message(refusal), hint: hint(refusal))
    case .refresh:
      guard [400, 401].contains(refusal.status) || refusal.status == 403 && !refusal.response.isWebPage,
        refusal.retryAfter == nil
      else { return nil }
      var reason = LoginReason.revoked
      if case .grant(let known) = refusal.meaning { reason = known }
      return refused(.grant(reason), message(refusal), hint: hint(refusal))
    }
  }

  private func byCode(_ refusal: Refusal) -> TokenOutcome? {
    let newRefreshToken = newRefreshToken(refusal)
    let cause: Rejection.Cause
    switch refusal.meaning {
    case .transient where newRefreshToken != nil, .failure where newRefreshToken != nil: cause = .request
    case .transient: return throttled(refusal)
    case .failure: return .unknown(message(refusal), retryAfter: refusal.retryAfter)
    case .conflict where refusal.retryAfter != nil: return throttled(refusal)
    // Nobody can do more in a browser where a password was sent.
    case .grant(.policy) where purpose == .signIn: cause = .request
    case .grant(let reason): cause = .grant(reason)
    case .client: cause = .client
    case .target: cause = .target
    case .conflict: cause = .conflict
    case .request: cause = .request
    case nil: return nil
    }
    return refused(cause, message(refusal), hint: hint(refusal), newRefreshToken)
  }

  /// A status other than 2xx without an error that is known.
  private func byStatus(_ refusal: Refusal, _ message: String) -> TokenOutcome {
    if refusal.status >= 400 && refusal.retryAfter != nil { return throttled(refusal) }
    let response = refusal.response
    switch purpose {
    case .signIn:
      let isDenial = response.status == 401 && !response.isWebPage
      return refused(isDenial ? .grant(.revoked) : .request, message, hint: hint(refusal))
    // A proxy, a firewall or a wrong URL: no verdict on the refresh token, which stays good.
    case .refresh:
      guard [400, 422].contains(response.status) && !response.isWebPage else { return .notSent(message) }
      let isUnexplained = response.status == 400 && response.isBlank
      return refused(isUnexplained ? .unexplained : .answer, message, hint: hint(refusal))
    }
  }

  private func throttled(_ refusal: Refusal) -> TokenOutcome {
    .throttled(message(refusal), retryAfter: refusal.retryAfter)
  }

  private func hint(_ refusal: Refusal) -> String? { refusal.error?.hint(habits) }

  /// Beside an error in an answer of success.
  private func newRefreshToken(_ refusal: Refusal) -> Secret? {
    guard refusal.response.isSuccess, let members = refusal.members else { return nil }
    return refreshToken(inner(members))
  }

  // MARK: Messages

  func message(_ refusal: Refusal) -> String {
    let (response, members, error) = (refusal.response, refusal.members, refusal.error)
    var message = "\(name) answered HTTP \(response.status)"
    if let code = error?.code { message += " " + line(code, members) }
    if let detail = error?.detail { message += " (\(line(detail, members)))" }
    if let description = error?.description ?? members?.text(AnswerError.descriptions) {
      message += ": " + line(description, members)
    }
    if let error { message += support(error, members) }
    if let target = response.redirect { message += ", a redirect to \(OneLine.text(target))" }
    return response.isWebPage ? message + " and a web page" : message
  }

  /// What the provider's support asks for. The description says it, too, but too late for a line.
  private func support(_ error: AnswerError, _ members: AnswerMembers?) -> String {
    let numbers = error.numbers.isEmpty ? [] : ["error_codes \(error.numbers.map { "\($0)" }.joined(separator: " "))"]
    let traces = error.traces.map { "\($0.name) \(line(String($0.id.prefix(64)), members))" }
    let all = numbers + traces
    return all.isEmpty ? "" : " [\(all.joined(separator: ", "))]"
  }
}

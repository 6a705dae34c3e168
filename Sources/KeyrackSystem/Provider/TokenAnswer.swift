import KeyrackCore
import KeyrackProtocol

/// Reads what a token endpoint, or a JSON login, answered.
///
/// 408, 425, 429 and 5xx are judged by the status, all else by the `error` in the body first and by the status second.
/// Once an answer holds a new refresh token, nothing else that is wrong with it loses that token.
struct TokenAnswer: Sendable {
  enum Purpose: Sendable {
    case signIn
    /// Here a doubt must not cost the session: what no provider said of the refresh token itself is `notSent`, where the
    /// request was certainly not processed, or `unknown`.
    case refresh
  }

  let purpose: Purpose
  let kind: Provider.Kind
  /// Who answered, for messages.
  let name: String
  /// What was sent, to be kept out of messages.
  let secrets: [Secret]

  func outcome(of response: HTTPResponse) -> TokenOutcome {
    let members = AnswerMembers(response)
    let error = members.flatMap { AnswerError($0) }
    let message = message(response, error, members)
    let retryAfter = RetryAfter.duration(response.retryAfter)

    if let outcome = byStatusAlone(response.status, error, message, retryAfter) { return outcome }
    if deniesByStatus(response), error?.verdict != .throttled { return .rejected(Rejection(.grant(.revoked), message)) }
    if let verdict = error?.verdict {
      return outcome(of: verdict, message, retryAfter, newRefreshToken(members, response))
    }
    guard (200..<300).contains(response.status) else { return refusal(response, message) }
    if error != nil { return refused(.answer, message, newRefreshToken(members, response)) }
    guard let members else { return nonsense("\(message), which is no token") }
    return grant(members)
  }

  // MARK: Refusals

  private func byStatusAlone(
    _ status: Int, _ error: AnswerError?, _ message: String, _ retryAfter: Duration?
  ) -> TokenOutcome? {
    switch status {
    case 408, 425, 429: .throttled(message, retryAfter: retryAfter)
    case 503 where retryAfter != nil || error?.verdict == .throttled: .throttled(message, retryAfter: retryAfter)
    case 500...: .unknown(message)
    default: nil
    }
  }

  /// Of a JSON login the status says it all. A web page is not from the login, but from something in its way.
  private func deniesByStatus(_ response: HTTPResponse) -> Bool {
    guard case .json = kind else { return false }
    switch purpose {
    case .signIn: return [400, 401, 403, 404, 422].contains(response.status)
    case .refresh: return [400, 401].contains(response.status) || response.status == 403 && !response.isWebPage
    }
  }

  private func outcome(
    of verdict: AnswerError.Verdict, _ message: String, _ retryAfter: Duration?, _ refreshToken: Secret?
  ) -> TokenOutcome {
    switch verdict {
    case .denied: refused(.grant(.revoked), message)
    case .clientRefused: refused(.client, message)
    case .userActionNeeded: refused(purpose == .refresh ? .grant(.policy) : .request, message)
    case .throttled: .throttled(message, retryAfter: retryAfter)
    case .failed: refused(.request, message, refreshToken)
    }
  }

  /// A status other than 2xx without an error that is known.
  private func refusal(_ response: HTTPResponse, _ message: String) -> TokenOutcome {
    switch purpose {
    case .signIn:
      return refused(response.status == 401 && !response.isWebPage ? .grant(.revoked) : .request, message)
    // A proxy, a firewall or a wrong URL: no verdict on the refresh token, which stays good.
    case .refresh:
      guard [400, 422].contains(response.status) && !response.isWebPage else { return .notSent(message) }
      return refused(response.status == 400 && response.body.isEmpty ? .unexplained : .request, message)
    }
  }

  private func refused(_ cause: Rejection.Cause, _ message: String, _ refreshToken: Secret? = nil) -> TokenOutcome {
    .rejected(Rejection(cause, message, refreshToken: refreshToken))
  }

  private func nonsense(_ message: String) -> TokenOutcome {
    purpose == .signIn ? refused(.answer, message) : .unknown(message)
  }

  // MARK: Grants

  private func grant(_ members: AnswerMembers) -> TokenOutcome {
    let refreshToken = refreshToken(members)
    guard let accessToken = members.text(names.accessToken) else {
      let message = "\(name) answered without \(names.accessToken[0])"
      return refreshToken == nil ? nonsense(message) : refused(.answer, message, refreshToken)
    }
    // RFC 6749, appendix A.12; a space would end the token in a header.
    guard accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return refused(.answer, "\(name) answered with an access token that is not printable ASCII", refreshToken)
    }
    if let type = members.text(["token_type"]), Self.boundTypes.contains(type.lowercased()) {
      return refused(.answer, "\(name) answered with a token of type \(OneLine.text(type))", refreshToken)
    }
    let refreshLifetime = members.lifetime(Self.refreshLifetimes)
    return .success(
      Grant(
        accessToken: Secret(accessToken), lifetime: members.lifetime(names.lifetime), refreshToken: refreshToken,
        // Keycloak says 0 of one that does not expire.
        refreshLifetime: refreshLifetime == .zero ? nil : refreshLifetime, scope: scope(members)))
  }

  /// Types of token that are useless without a proof. Anything else that is not "Bearer" means it all the same.
  private static let boundTypes: Set = ["dpop", "mac", "pop", "n_a"]
  private static let refreshLifetimes = [
    "refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in",
  ]

  private var names: (accessToken: [String], refreshToken: [String], lifetime: [String]) {
    switch kind {
    case .oauth: (["access_token"], ["refresh_token"], ["expires_in", "expires"])
    case .json(let json): (json.accessTokenMembers, json.refreshTokenMembers, json.expiresInMembers)
    }
  }

  /// Nil where there is none that could be used: not a text, empty, or with control characters.
  private func refreshToken(_ members: AnswerMembers) -> Secret? {
    members.text(names.refreshToken).flatMap { token in
      token.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? Secret(token) : nil
    }
  }

  /// Beside an error in an answer of success.
  private func newRefreshToken(_ members: AnswerMembers?, _ response: HTTPResponse) -> Secret? {
    (200..<300).contains(response.status) ? members.flatMap { refreshToken($0) } : nil
  }

  private func scope(_ members: AnswerMembers) -> String? {
    let scopes: [String]
    switch members["scope"] {
    case .text(let text): scopes = [text]
    case .texts(let texts): scopes = texts
    case .number, .object, .objects, .null, .other, nil: return nil
    }
    let words = scopes.flatMap { $0.split { $0.isWhitespace || $0 == "," || $0 < " " } }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  // MARK: Messages

  private func message(_ response: HTTPResponse, _ error: AnswerError?, _ members: AnswerMembers?) -> String {
    var message = "\(name) answered HTTP \(response.status)"
    if let code = error?.code { message += " " + OneLine.text(code, redacting: secrets) }
    if let description = error?.description ?? members?.text(AnswerError.descriptions) {
      message += ": " + OneLine.text(description, redacting: secrets)
    }
    if let target = response.redirect { message += ", a redirect to \(OneLine.text(target))" }
    return response.isWebPage ? message + " and a web page" : message
  }
}

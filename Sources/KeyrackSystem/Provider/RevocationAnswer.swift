import KeyrackCore
import KeyrackProtocol

/// Reads what a provider answered when it was told that a session has ended.
struct RevocationAnswer: Sendable {
  /// Whether the request was made in the name of the token: then 401 says that the token is dead already.
  let provesToken: Bool
  /// Statuses by which a provider says that it does not know the token.
  var unknownTokenStatuses: Set<Int> = []
  /// Who answered, for messages.
  let name: String
  /// What was sent, to be kept out of messages.
  let secrets: [Secret]

  func outcome(of response: HTTPResponse) -> RevocationOutcome {
    let error = AnswerMembers(response).flatMap { AnswerError($0, isFailure: !response.isSuccess) }
    let message = message(response, error)
    let failure = RevocationOutcome.failed(message, retryAfter: RetryAfter.duration(response.retryAfter))
    switch response.status {
    case 408, 425, 429, 500...: return failure
    // A proxy, a captive portal.
    case 300..<400, 407: return failure
    case 403 where response.isWebPage: return failure
    case _ where Self.deadTokens.contains(error?.code ?? ""): return .done
    case _ where error?.isPassing == true: return failure
    case 200..<300: return error == nil ? .done : .refused(message)
    case 401 where provesToken: return .done
    case let status where unknownTokenStatuses.contains(status) && !response.isWebPage: return .done
    default: return .refused(message)
    }
  }

  /// The token that was to be revoked is unknown to the provider.
  private static let deadTokens: Set = ["invalid_token", "invalid_grant", "token_revoked", "token_expired"]

  private func message(_ response: HTTPResponse, _ error: AnswerError?) -> String {
    let explanation = [error?.code, error?.description].compactMap { $0 }.joined(separator: ": ")
    let message = "\(name) answered HTTP \(response.status)"
    return explanation.isEmpty
      ? message : message + " " + OneLine.text(explanation, redacting: SecretSpellings.all(of: secrets))
  }
}

extension AnswerError {
  /// Whether the provider may well acknowledge the next time.
  fileprivate var isPassing: Bool { [.transient, .failure].contains(ErrorMeaning.of(code)) }
}

import Glibc
import KeyrackCore
import KeyrackProtocol

/// Reads what a token endpoint, or a JSON login, answered; of other endpoints, why they answered with nothing of use.
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
  var habits = ProviderHabits()
  /// Who answered, for messages.
  let name: String
  /// What was sent, to be kept out of messages.
  let secrets: [Secret]
  /// Unix seconds.
  var now = time(nil)

  func outcome(of response: HTTPResponse) -> TokenOutcome {
    let found = Refusal(response, habits)
    guard let members = found.members, response.isSuccess, found.error == nil else { return refusal(found) }
    return grant(inner(members), outer: members)
  }

  /// The members that the tokens are among.
  func inner(_ members: AnswerMembers) -> AnswerMembers { members.inner(habits.tokenPath) ?? members }

  /// The members of a grant, the first that is there counts.
  var names: (accessToken: [String], refreshToken: [String], lifetime: [String]) {
    switch kind {
    case .oauth: (["access_token"], ["refresh_token"], ["expires_in", "expires"])
    case .json(let json): (json.accessTokenMembers, json.refreshTokenMembers, json.expiresInMembers)
    }
  }

  /// Nil where there is none that could be used: not a text, empty, or with control characters.
  func refreshToken(_ members: AnswerMembers) -> Secret? {
    members.text(names.refreshToken).flatMap { token in
      token.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? Secret(token) : nil
    }
  }

  func refused(
    _ cause: Rejection.Cause, _ message: String, hint: String? = nil, _ refreshToken: Secret? = nil
  ) -> TokenOutcome {
    .rejected(Rejection(cause, message, hint: hint, refreshToken: refreshToken))
  }

  /// An answer of success that makes no sense, such as a web page. It came over TLS from the host that was asked or, by
  /// plain HTTP, from this machine (see ``Endpoint``): the captive portal that would be certain not to have processed the
  /// request could not have answered it. So nobody knows.
  func nonsense(_ message: String) -> TokenOutcome {
    purpose == .signIn ? refused(.answer, message) : .unknown(message)
  }

  /// Text of the answer, fit for a message: without what was sent, and without what came with it.
  func line(_ text: String, _ members: AnswerMembers?) -> String {
    let tokens = [members, members?.inner(habits.tokenPath)].flatMap { members in
      (names.accessToken + names.refreshToken + Self.otherSecrets)
        .compactMap { members?.text([$0]).map { Secret($0) } }
    }
    return OneLine.text(text, redacting: SecretSpellings.all(of: secrets + tokens))
  }

  private static let otherSecrets = [
    "id_token", "device_code", "request_uri", "client_secret", "registration_access_token",
  ]
}

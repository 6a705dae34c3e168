import KeyrackCore
import KeyrackProtocol

@testable import KeyrackSystem

/// An answer as a test writes it, and what is made of it.
struct AnswerReader {
  static let oauth = Provider.Kind.oauth(.init(clientID: "id", tokenEndpoint: "https://sso.example.org/token"))
  static let json = Provider.Kind.json(.init(loginURL: "https://api.example.org/login"))

  var kind = Self.oauth
  var habits = ProviderHabits()
  var secrets: [Secret] = []

  func read(
    _ body: String, status: Int = 200, type: String? = "application/json", retryAfter: String? = nil,
    _ purpose: TokenAnswer.Purpose = .refresh
  ) -> TokenOutcome {
    TokenAnswer(
      purpose: purpose, kind: kind, habits: habits, name: "sso.example.org:443", secrets: secrets, now: 1_800_000_000
    ).outcome(of: HTTPResponse(status: status, contentType: type, retryAfter: retryAfter, body: Array(body.utf8)))
  }
}

/// How a request for tokens ended, without its messages.
enum OutcomeClass: Equatable {
  case success
  case rejected(Rejection.Cause)
  case throttled(Duration?)
  case notSent
  case unknown

  static let revoked = rejected(.grant(.revoked))
  static let expired = rejected(.grant(.expired))
  static let policy = rejected(.grant(.policy))
  static let client = rejected(.client)
  static let target = rejected(.target)
  static let conflict = rejected(.conflict)
  static let request = rejected(.request)
  static let answer = rejected(.answer)
  static let unexplained = rejected(.unexplained)
}

extension TokenOutcome {
  var `class`: OutcomeClass {
    switch self {
    case .success: .success
    case .rejected(let rejection): .rejected(rejection.cause)
    case .throttled(_, let retryAfter): .throttled(retryAfter)
    case .notSent: .notSent
    case .unknown: .unknown
    }
  }

  var grant: Grant? {
    if case .success(let grant) = self { grant } else { nil }
  }

  var rejection: Rejection? {
    if case .rejected(let rejection) = self { rejection } else { nil }
  }

  var message: String {
    switch self {
    case .success: ""
    case .rejected(let rejection): rejection.message
    case .throttled(let text, _), .notSent(let text), .unknown(let text, _): text
    }
  }
}

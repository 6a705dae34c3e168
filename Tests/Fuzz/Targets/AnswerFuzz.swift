import KeyrackCore
import KeyrackProtocol

@testable import KeyrackSystem

/// An answer of a provider: status, content type and `Retry-After` in the first line, `|` between them, then the body.
enum AnswerFuzz {
  /// What was sent, and may come back in no message.
  private static let sent = "sent-9f1c2b7a5e"
  private static let issuer = "https://sso.example.org"

  static func run(_ input: [UInt8]) throws {
    let response = response(input)
    for kind in kinds {
      for purpose in [TokenAnswer.Purpose.signIn, .refresh] {
        for path in [[], ["data"]] { try judge(response, answer(purpose, kind, path)) }
      }
    }
    try judgeOthers(response, answer(.signIn, kinds[0], []))
    for provesToken in [true, false] {
      let answer = RevocationAnswer(
        provesToken: provesToken, unknownTokenStatuses: [404], name: "host", secrets: [Secret(sent)])
      switch answer.outcome(of: response) {
      case .done, .unsupported: break
      case .failed(let message, let retryAfter): try check(message, retryAfter)
      case .refused(let message): try check(message)
      }
    }
  }

  private static let kinds: [Provider.Kind] = [
    .oauth(.init(clientID: "id", tokenEndpoint: "https://sso.example.org/token")),
    .json(.init(loginURL: "https://api.example.org/login")),
  ]

  private static func answer(
    _ purpose: TokenAnswer.Purpose, _ kind: Provider.Kind, _ path: [String]
  ) -> TokenAnswer {
    var habits = ProviderHabits()
    habits.tokenPath = path
    return TokenAnswer(
      purpose: purpose, kind: kind, habits: habits, name: "host", secrets: [Secret(sent)], now: 1_800_000_000)
  }

  private static func response(_ input: [UInt8]) -> HTTPResponse {
    let head = input.prefix { $0 != UInt8(ascii: "\n") }
    let fields = head.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    func field(_ number: Int) -> String? {
      fields.indices.contains(number) && !fields[number].isEmpty ? fields[number] : nil
    }
    return HTTPResponse(
      status: field(0).flatMap { UInt16($0) }.map { Int($0) } ?? 200, contentType: field(1), retryAfter: field(2),
      body: Array(input[head.endIndex...].dropFirst()))
  }

  // MARK: Tokens

  private static func judge(_ response: HTTPResponse, _ answer: TokenAnswer) throws {
    let outcome = answer.outcome(of: response)
    try check(outcome)
    switch answer.deviceOutcome(of: response) {
    case .pending, .expired: break
    case .slowDown(let interval): try require((interval ?? .seconds(1)) >= .seconds(1), "an interval of nothing")
    case .denied(let message): try check(message)
    case .ended(let outcome): try check(outcome)
    }
    guard answer.purpose == .refresh, response.isSuccess, let members = AnswerMembers(response),
      let token = answer.refreshToken(answer.inner(members))
    else { return }
    switch outcome {
    case .success(let grant): try require(grant.refreshToken == token, "a new refresh token was lost")
    case .rejected(let rejection): try require(rejection.refreshToken == token, "a new refresh token was lost")
    case .throttled, .notSent, .unknown: throw Violation(description: "a new refresh token was lost")
    }
  }

  private static func check(_ outcome: TokenOutcome) throws {
    switch outcome {
    case .success(let grant): try check(grant)
    case .rejected(let rejection): try check(rejection.message)
    case .notSent(let message): try check(message)
    case .throttled(let message, let retryAfter), .unknown(let message, let retryAfter):
      try check(message, retryAfter)
    }
  }

  private static func check(_ grant: Grant) throws {
    let token = grant.accessToken.bytes
    try require(!token.isEmpty && token.allSatisfy { (0x21...0x7E).contains($0) }, "a token that fits in no header")
    try require(grant.refreshToken?.isEmpty != true, "an empty refresh token")
    for lifetime in [grant.lifetime, grant.refreshIn, grant.refreshLifetime].compactMap({ $0 }) {
      try require((.zero ... .seconds(365 * 86400)).contains(lifetime), "a lifetime out of range")
    }
  }

  /// One line for people, without the secret that was sent, if any was.
  private static func check(_ message: String, _ retryAfter: Duration? = nil, isAfterSecret: Bool = true) throws {
    try require(!message.unicodeScalars.contains { $0.properties.generalCategory == .control }, "a control character")
    try require(!isAfterSecret || !message.contains(sent), "a message holds what was sent")
    try require(message.utf8.count < 64 << 10, "a message without an end")
    try require((.zero...RetryAfter.maximum).contains(retryAfter ?? .zero), "a wait out of range")
  }

  // MARK: Other endpoints

  private static func judgeOthers(_ response: HTTPResponse, _ answer: TokenAnswer) throws {
    try check(answer.object(response) { (object) throws(RequestFailure) in try object.deviceAuthorization() })
    try check(answer.object(response) { (object) throws(RequestFailure) in try object.subject() })
    let registration = ClientRegistration(clientName: "Keyrack", redirectURIs: ["http://127.0.0.1/callback"])
    if let wish = RegistrationRequest(
      registration, at: IssuerMetadata(issuer: issuer, discovery: .oidc, endpoints: .init()))
    {
      try check(answer.object(response) { (object) throws(RequestFailure) in try object.client(for: wish) })
    }
    for document in [DiscoveryDocument.openID, .oauth] {
      try check(DiscoveryAnswer.of(response, read: answer, from: issuer, document), isAfterSecret: false)
    }
    _ = try? JSONWebKeySet(response)
  }

  private static func check<Answer>(
    _ result: Result<Answer, RequestFailure>, isAfterSecret: Bool = true
  ) throws {
    switch result {
    case .success: break
    case .failure(.rejected(let rejection)): try check(rejection.message, isAfterSecret: isAfterSecret)
    case .failure(.throttled(let message, let retryAfter)):
      try check(message, retryAfter, isAfterSecret: isAfterSecret)
    case .failure(.unavailable(let message, _)): try check(message, isAfterSecret: isAfterSecret)
    }
  }
}

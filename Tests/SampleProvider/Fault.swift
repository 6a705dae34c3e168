/// What goes wrong with a refresh.
enum Fault: String, CaseIterable, Encodable {
  case unavailable
  /// `unavailable`, and it says for how long.
  case retryLater = "retry_later"
  case serverError = "server_error"
  case badGateway = "bad_gateway"
  case throttled
  /// 400 `temporarily_unavailable`.
  case busy
  /// The connection is reset, as by a provider that died with the request unread.
  case reset
  case slow
  /// A web page in place of an answer.
  case portal
  /// The request is processed, and the connection closed without an answer.
  case lost
  /// The same in the middle of the answer.
  case truncated
  /// The same, and a gateway says 502.
  case swallowed

  /// Every fault as often as it is to come: those that cost a session its refresh token are rarer.
  static let deck = allCases.flatMap { Array(repeating: $0, count: $0.costsToken ? 1 : 3) }

  private var costsToken: Bool {
    switch self {
    case .lost, .truncated, .swallowed: true
    case .unavailable, .retryLater, .serverError, .badGateway, .throttled, .busy, .reset, .slow, .portal: false
    }
  }

  var script: Script {
    switch self {
    case .unavailable: Script(status: 503)
    case .retryLater: Script(status: 503, headers: ["Retry-After": "1"])
    case .serverError: Script(status: 500)
    case .badGateway: Script(status: 502)
    case .throttled: Script(status: 429)
    case .busy: Script(status: 400, body: #"{"error":"temporarily_unavailable"}"#)
    case .reset: Script(drop: .reset)
    case .slow: Script(delay: 1_500)
    case .portal:
      Script(status: 200, headers: ["Content-Type": "text/html"], body: "<!DOCTYPE html><title>Sign in</title>")
    case .lost: Script(drop: .after)
    case .truncated: Script(drop: .mid)
    case .swallowed: Script(status: 502, isAfterProcessing: true)
    }
  }
}

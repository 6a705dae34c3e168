import FoundationEssentials

/// A request as `GET /control/log` shows it.
struct LogEntry: Encodable {
  /// Counts requests from the start of the process, also over a reset.
  let number: Int
  let request: HTTPRequest
  let receivedAt = Date()
  var outcome: Outcome
  var user: String?
  var family: Int?
  /// What was granted.
  var accessToken: String?
  /// What was, or will be, answered; nil where the connection is dropped.
  var status: Int?
  /// What the weather did to it.
  var fault: Fault?
  /// Whether the whole answer was handed to the network.
  var isAnswered = false

  private enum CodingKeys: String, CodingKey {
    case number = "n"
    case path, method, query, headers, body, form, json
    case grantType = "grant_type"
    case user, family, outcome, status, fault
    case accessToken = "access_token"
    case receivedAt = "received_at_ms"
    case isAnswered = "answered"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode(request.path, forKey: .path)
    try container.encode(request.method, forKey: .method)
    try container.encode(request.query, forKey: .query)
    try container.encode(request.headers, forKey: .headers)
    try container.encode(request.text, forKey: .body)
    try container.encodeIfPresent(request.form, forKey: .form)
    try container.encodeIfPresent(request.json, forKey: .json)
    try container.encodeIfPresent(request.form?["grant_type"], forKey: .grantType)
    try container.encodeIfPresent(user, forKey: .user)
    try container.encodeIfPresent(family, forKey: .family)
    try container.encodeIfPresent(accessToken, forKey: .accessToken)
    try container.encode(outcome, forKey: .outcome)
    try container.encodeIfPresent(status, forKey: .status)
    try container.encodeIfPresent(fault, forKey: .fault)
    try container.encode(Int(receivedAt.timeIntervalSince1970 * 1000), forKey: .receivedAt)
    try container.encode(isAnswered, forKey: .isAnswered)
  }
}

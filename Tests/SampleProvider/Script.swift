/// What the next requests to a path are answered: `POST /control/script`.
struct Script: Decodable {
  let path: String
  /// How many requests it is for.
  var count: Int
  private let status: Int?
  private let headers: [String: String]?
  private let body: String?
  /// Milliseconds that the answer is late.
  let delay: Int
  /// Whether the answer waits for `POST /control/release`.
  let isHeld: Bool
  let drop: Drop?
  private let isAfterProcessing: Bool

  /// When the connection is closed in place of a whole answer.
  enum Drop: String, Decodable {
    case before, after, mid
    /// Before, and by a reset.
    case reset
  }

  private enum CodingKeys: String, CodingKey {
    case path, count, status, headers, body, drop
    case delay = "delay_ms"
    case isHeld = "hold"
    case isAfterProcessing = "after_processing"
  }

  /// For one request.
  init(
    status: Int? = nil, headers: [String: String]? = nil, body: String? = nil, delay: Int = 0, drop: Drop? = nil,
    isAfterProcessing: Bool = false
  ) {
    path = Endpoint.token.rawValue
    count = 1
    self.status = status
    self.headers = headers
    self.body = body
    self.delay = delay
    isHeld = false
    self.drop = drop
    self.isAfterProcessing = isAfterProcessing
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    path = try container.decode(String.self, forKey: .path)
    count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 1
    status = try container.decodeIfPresent(Int.self, forKey: .status)
    headers = try container.decodeIfPresent([String: String].self, forKey: .headers)
    body = try container.decodeIfPresent(String.self, forKey: .body)
    delay = try container.decodeIfPresent(Int.self, forKey: .delay) ?? 0
    isHeld = try container.decodeIfPresent(Bool.self, forKey: .isHeld) ?? false
    drop = try container.decodeIfPresent(Drop.self, forKey: .drop)
    isAfterProcessing = try container.decodeIfPresent(Bool.self, forKey: .isAfterProcessing) ?? false
  }

  /// Whether the request has its effect: a scripted answer comes in place of it, unless the script says otherwise.
  var processes: Bool {
    if drop == .before || drop == .reset { return false }
    return isAfterProcessing || (status == nil && headers == nil && body == nil)
  }

  /// Puts the script's answer in place of the true one.
  func apply(to response: inout HTTPResponse) {
    if let status {
      response = HTTPResponse(status: status, headers: ["Content-Type": "application/json"])
    }
    if let body { response.body = Array(body.utf8) }
    for (name, value) in headers ?? [:] {
      response.headers = response.headers.filter { $0.key.lowercased() != name.lowercased() }
      response.headers[name] = value
    }
  }
}

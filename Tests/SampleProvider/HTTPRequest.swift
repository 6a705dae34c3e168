import FoundationEssentials

/// A request of HTTP/1.1.
struct HTTPRequest {
  let method: String
  let path: String
  /// Without its question mark.
  let query: String
  /// By lower-case name; of one that is repeated, the values joined by commas.
  private(set) var headers: [String: String] = [:]
  var body: [UInt8] = []
  let keepsAlive: Bool

  /// Parses the head without its empty line.
  init?(head: some Collection<UInt8>) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let start = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard start.count == 3, start[2].hasPrefix("HTTP/1."), start[1].hasPrefix("/") else { return nil }
    let target = start[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    method = String(start[0])
    path = String(target[0])
    query = target.count > 1 ? String(target[1]) : ""
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers[name] = headers[name].map { "\($0), \(value)" } ?? String(value)
    }
    let connection = headers["connection"]?.lowercased()
    keepsAlive = start[2] == "HTTP/1.0" ? connection == "keep-alive" : connection != "close"
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The body's fields, if it is a form that repeats none (RFC 6749, section 3.2).
  var form: [String: String]? {
    hasContentType("application/x-www-form-urlencoded") ? FormFields.decode(text) : nil
  }

  /// The members of the body that are strings, if it is a JSON object.
  var json: [String: String]? {
    guard hasContentType("application/json") else { return nil }
    return try? JSONDecoder().decode(StringMembers.self, from: Data(body)).members
  }

  /// Whether it spends a refresh token at `/token`.
  var isRefresh: Bool { path == Endpoint.token.rawValue && form?["grant_type"] == "refresh_token" }

  var bearerToken: String? {
    guard let value = headers["authorization"], value.lowercased().hasPrefix("bearer ") else { return nil }
    return String(value.dropFirst(7))
  }

  /// From the form, else from Basic credentials (RFC 6749, section 2.3.1).
  var clientID: String? {
    if let id = form?["client_id"], !id.isEmpty { return id }
    return basicCredentials?.first.flatMap { FormFields.unescape($0) }
  }

  /// From the form, else from Basic credentials; nil where both have one.
  var clientSecret: String? {
    let inForm = form?["client_secret"]
    guard let credentials = basicCredentials else { return inForm }
    return inForm == nil ? credentials.dropFirst().first.flatMap { FormFields.unescape($0) } : nil
  }

  /// How this provider calls itself: by where it was asked.
  var issuer: String { "http://\(headers["host"] ?? "")" }

  private var basicCredentials: [Substring]? {
    guard let value = headers["authorization"], value.lowercased().hasPrefix("basic "),
      let credentials = Data(base64Encoded: String(value.dropFirst(6)))
    else { return nil }
    return String(decoding: credentials, as: UTF8.self).split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
  }

  private func hasContentType(_ type: String) -> Bool {
    headers["content-type"]?.split(separator: ";").first?.lowercased() == type
  }
}

import FoundationEssentials

/// An answer of HTTP/1.1.
struct HTTPResponse {
  var status: Int
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A JSON answer that no cache may keep (RFC 6749, section 5.1).
  init(status: Int = 200, json: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let headers = ["Content-Type": "application/json", "Cache-Control": "no-store"]
    // None of the values that are answered here has a member that JSON has not.
    self.init(status: status, headers: headers, body: (try? encoder.encode(json)).map { Array($0) } ?? [])
  }

  init(status: Int, html: String) {
    let page = "<!DOCTYPE html><title>Sample provider</title>" + html
    self.init(status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: Array(page.utf8))
  }

  func bytes(closes: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")\r\n"
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    if closes { head += "Connection: close\r\n" }
    if status != 204 && status != 304 { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + body
  }

  private static let reasons = [
    200: "OK", 201: "Created", 204: "No Content", 302: "Found", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 411: "Length Required", 413: "Content Too Large", 429: "Too Many Requests",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}

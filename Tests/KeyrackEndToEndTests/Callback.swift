import Foundation
import TestSupport
import Testing

/// Where a provider sent the browser: a request to the daemon's listener that is not made yet.
struct Callback: Sendable {
  let port: UInt16
  let path: String
  var parameters: [URLQueryItem]
  private var isPosted = false

  /// Opens the address as the person's browser does. The sample provider answers as if the person had decided.
  static func opening(_ url: String) async throws -> Callback {
    let address = try #require(URLComponents(string: url))
    let target = "\(address.percentEncodedPath)?\(address.percentEncodedQuery ?? "")"
    let answer = try await LoopbackHTTP.send("GET", target, port: UInt16(#require(address.port)))
    if answer.status == 200 { return try Callback(form: answer.body) }
    try #require(answer.status == 302, "\(answer)")
    return try Callback(#require(answer.headers["location"]))
  }

  init(_ url: String) throws {
    let address = try #require(URLComponents(string: url))
    port = UInt16(try #require(address.port))
    path = address.path
    parameters = address.queryItems ?? []
  }

  /// A form that submits itself.
  private init(form html: String) throws {
    let action = try #require(html.firstMatch(of: /action="([^"]*)"/)).1
    try self.init(String(action))
    parameters = html.matches(of: /name="([^"]*)" value="([^"]*)"/).map {
      URLQueryItem(name: String($0.1), value: String($0.2))
    }
    isPosted = true
  }

  var query: String {
    parameters.map { "\($0.name)=\(LoopbackHTTP.escape($0.value ?? ""))" }.joined(separator: "&")
  }

  var target: String { "\(path)?\(query)" }

  /// What the browser shows in its address bar.
  var address: String { "http://127.0.0.1:\(port)\(target)" }

  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  func with(_ name: String, _ value: String) -> Callback {
    var changed = self
    changed.parameters = parameters.map { $0.name == name ? URLQueryItem(name: name, value: value) : $0 }
    return changed
  }

  @discardableResult func deliver() async throws -> LoopbackHTTP.Answer {
    if isPosted {
      let type = ["Content-Type": "application/x-www-form-urlencoded"]
      return try await LoopbackHTTP.send("POST", path, port: port, headers: type, body: query)
    }
    return try await LoopbackHTTP.send("GET", target, port: port)
  }

  /// Whether somebody listens there.
  var isOpen: Bool {
    get async { (try? await LoopbackHTTP.send("GET", "/", port: port)) != nil }
  }
}

import KeyrackCore
import KeyrackProtocol

/// A redirect URI that is open: where its requests are to be recognised by.
struct OpenRedirect: Hashable {
  let uri: String
  let authority: String
  let path: String
}

/// A request that came to the loopback listener.
struct CallbackRequest {
  let method: String
  /// As it stood in the request line.
  let target: String
  /// In their order, names as they came.
  let headers: [(name: String, value: String)]
  let headSize: Int
  private(set) var body: [UInt8] = []
  /// Of the body, what was not kept included.
  private(set) var bodySize = 0

  init(method: String, target: String, headers: [(name: String, value: String)], headSize: Int) {
    self.method = method
    self.target = target
    self.headers = headers
    self.headSize = headSize
  }

  enum Verdict {
    /// Nothing was consumed.
    case answer(CallbackAnswer)
    case response(AuthorizationResponse, redirectURI: String)
  }

  /// False where it is so much that nobody need wait for its end.
  mutating func append(_ bytes: some Collection<UInt8>) -> Bool {
    bodySize += bytes.count
    if bodySize <= CallbackLimits.body { body.append(contentsOf: bytes) }
    return bodySize <= 4 * CallbackLimits.body
  }

  /// What is to be done, once it is complete.
  func judged(by redirects: some Collection<OpenRedirect>) -> Verdict {
    guard headSize <= CallbackLimits.head else { return .answer(.headTooLarge) }
    // Neither the absolute form, for proxies, nor `*` or an authority (RFC 9112, 3.2).
    guard target.hasPrefix("/") else { return .answer(.malformed) }
    let hosts = values(of: "host")
    guard hosts.count == 1 else { return .answer(.malformed) }
    // A page elsewhere whose name was made to resolve to loopback comes with that name.
    let meant = redirects.filter { $0.authority == hosts[0] }
    guard !meant.isEmpty else { return .answer(.otherHost) }
    let path = target.prefix { $0 != "?" }
    guard let redirect = meant.first(where: { $0.path.utf8.elementsEqual(path.utf8) }) else {
      return .answer(.notFound)
    }
    return judged(as: redirect, query: target[path.endIndex...].dropFirst())
  }

  private func judged(as redirect: OpenRedirect, query: Substring) -> Verdict {
    switch method {
    case "HEAD": .answer(.nothing)
    case "GET": judged(String(query), redirect)
    case "POST": judgedForm(redirect)
    default: .answer(.methodNotAllowed)
    }
  }

  /// `response_mode=form_post`.
  private func judgedForm(_ redirect: OpenRedirect) -> Verdict {
    let types = values(of: "content-type").map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
    guard types == [FormEncoding.contentType] else { return .answer(.otherType) }
    guard bodySize <= CallbackLimits.body else { return .answer(.bodyTooLarge) }
    guard let form = String(validating: body, as: UTF8.self) else { return .answer(.malformed) }
    return judged(form, redirect)
  }

  private func judged(_ encoded: String, _ redirect: OpenRedirect) -> Verdict {
    guard let parameters = FormParameters.decode(encoded), let response = try? AuthorizationResponse(parameters) else {
      return .answer(.malformed)
    }
    return response.isEmpty ? .answer(.noResponse) : .response(response, redirectURI: redirect.uri)
  }

  private func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map { $0.value }
  }
}

import CCurl
import KeyrackProtocol

// URLs that are made of an endpoint's.
extension Endpoint {
  /// The same with another path, which is made of this one's. Nil where that is none.
  func withPath(_ change: (String) -> String) -> Endpoint? {
    guard let parts = unsafe URLParts(url) else { return nil }
    defer { unsafe parts.free() }
    guard let path = unsafe parts[CURLUPART_PATH], unsafe parts.setPath(change(path)), let text = unsafe parts.text
    else { return nil }
    return try? Endpoint(validating: text)
  }

  /// This, its own query kept, and these parameters after it (RFC 6749, section 3.1). A space becomes `%20`. Not for
  /// secrets.
  func url(adding parameters: [(name: String, value: String)]) -> String? {
    guard let parts = unsafe URLParts(url) else { return nil }
    defer { unsafe parts.free() }
    for (name, value) in parameters {
      let pair = [name, value].map { String(decoding: FormEncoding.escaped(Secret($0)).bytes, as: UTF8.self) }
      guard unsafe parts.addToQuery(pair.joined(separator: "=")) else { return nil }
    }
    return unsafe parts.text
  }

  /// Whether a person can be sent there: http or https, in one line, and nothing before an @ that looks like the host.
  static func isWebAddress(_ text: String) -> Bool {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let parts = unsafe URLParts(text)
    else { return false }
    defer { unsafe parts.free() }
    return unsafe ["http", "https"].contains(parts[CURLUPART_SCHEME]) && parts[CURLUPART_HOST] != nil
      && parts[CURLUPART_USER] == nil && parts[CURLUPART_PASSWORD] == nil
  }
}

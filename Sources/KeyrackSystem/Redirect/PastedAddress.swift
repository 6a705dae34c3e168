import CCurl
package import KeyrackCore
package import KeyrackProtocol

/// What a person pastes in `keyrack login --paste`: the address that the browser ended on, or its parameters.
package struct PastedAddress: Sendable {
  package let response: AuthorizationResponse
  /// The address without query and fragment, in libcurl's normal form with the port; nil where only parameters were pasted.
  package let base: String?

  /// The response has a `state`, and a code or an error. No error holds what was pasted.
  package init(_ pasted: Secret) throws(RedirectError) {
    guard pasted.count <= Self.maximumCount else {
      throw RedirectError("what was pasted is too long", hint: Self.hint)
    }
    guard let text = String(validating: pasted.bytes, as: UTF8.self)?.trimmed, !text.utf8.contains(0) else {
      throw RedirectError("what was pasted is no text", hint: Self.hint)
    }
    let parts = try Self.parts(text)
    base = parts.base
    response = try Self.response(parts.query, parts.fragment)
    guard !response.isEmpty else { throw RedirectError("what was pasted holds no code", hint: Self.hint) }
    guard response.state != nil else { throw RedirectError("what was pasted holds no state", hint: Self.hint) }
  }

  /// Whether this is where the browser was sent. True where nobody can tell.
  package func isOf(_ redirectURI: String) -> Bool {
    guard let base else { return true }
    return (try? Self.parts(redirectURI))?.base.map { $0.utf8.elementsEqual(base.utf8) } ?? false
  }

  private static let maximumCount = 16 << 10
  private static let hint = "copy the whole address from the browser's address bar, from http to the end"

  /// The query, unless it holds nothing: then the fragment, where `response_mode=fragment` has it.
  private static func response(_ query: String, _ fragment: String) throws(RedirectError) -> AuthorizationResponse {
    let response = try response(query)
    return response.isEmpty && !fragment.isEmpty ? try self.response(fragment) : response
  }

  private static func response(_ encoded: String) throws(RedirectError) -> AuthorizationResponse {
    guard let parameters = FormParameters.decode(encoded) else {
      throw RedirectError("what was pasted is damaged", hint: hint)
    }
    do { return try AuthorizationResponse(parameters) } catch {
      throw RedirectError("what was pasted holds \(error.name) twice", hint: hint)
    }
  }

  private static func parts(_ text: String) throws(RedirectError) -> (base: String?, query: String, fragment: String) {
    guard text.contains("://") && !text.hasPrefix("code=") && !text.hasPrefix("state=") else {
      return (nil, String(text.drop { $0 == "?" || $0 == "#" }), "")
    }
    guard let parts = unsafe URLParts(text) else { throw RedirectError("what was pasted is not a URL", hint: hint) }
    defer { unsafe parts.free() }
    let (query, fragment) = unsafe (parts[CURLUPART_QUERY] ?? "", parts[CURLUPART_FRAGMENT] ?? "")
    // The name and the password of http://127.0.0.1@elsewhere/ stay in the base, which is then not that of the redirect.
    guard unsafe parts.remove(CURLUPART_QUERY), unsafe parts.remove(CURLUPART_FRAGMENT) else {
      throw RedirectError("what was pasted is not a URL", hint: hint)
    }
    return unsafe (parts[CURLUPART_URL], query, fragment)
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(
      start.prefix(start.lastIndex { !$0.isWhitespace }.map { start.distance(from: start.startIndex, to: $0) + 1 } ?? 0)
    )
  }
}

package import KeyrackProtocol

/// What a provider answers by way of the browser (RFC 6749, 4.1.2 and 4.1.2.1; RFC 9207, 2).
///
/// Anybody can have written it: nothing is true of it before its `state` is known.
package struct AuthorizationResponse: Sendable, Equatable {
  package let code: Secret?
  package let state: String?
  /// `iss`.
  package let issuer: String?
  /// Counts before `code`, where both are there.
  package let error: String?
  /// For people. Of any length and content.
  package let errorDescription: String?
  /// Of Sign in with Apple: who it is, as JSON.
  package let user: Secret?

  /// Takes the parameters in their order. An empty one counts as absent (RFC 6749, 3.1), others than these are ignored.
  ///
  /// Throws where one that decides something is there twice, empty or not: two readers might not take the same.
  package init(_ parameters: [(name: String, value: Secret)]) throws(RepeatedParameter) {
    var values: [String: Secret] = [:]
    for (name, value) in parameters {
      if values[name] == nil { values[name] = value; continue }
      if Self.decisive.contains(name) { throw RepeatedParameter(name: name) }
    }
    func value(_ name: String) -> Secret? { values[name].flatMap { $0.isEmpty ? nil : $0 } }
    func text(_ name: String) -> String? { value(name).map { String(decoding: $0.bytes, as: UTF8.self) } }
    code = value("code")
    state = text("state")
    issuer = text("iss")
    error = text("error")
    errorDescription = text("error_description")
    user = value("user")
  }

  /// Neither a code nor an error: the browser was sent here by something else, or the rest is in a fragment.
  package var isEmpty: Bool { code == nil && error == nil }

  private static let decisive: Set = ["code", "state", "iss", "error"]
}

package struct RepeatedParameter: Error, Sendable, Equatable {
  package let name: String

  package init(name: String) { self.name = name }
}

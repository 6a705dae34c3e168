/// What an access token is for. All of a session's tokens come from its one refresh token.
package struct TokenTarget: Sendable, Hashable {
  /// Sorted, each once. Empty: whatever the session was granted.
  package let scopes: [String]
  /// RFC 8707, section 2; in the order of the request.
  package let resources: [String]

  /// What a session gives to whoever asks for nothing in particular.
  package static let standard = TokenTarget()

  package init(scopes: some Sequence<String> = [], resources: [String] = []) {
    self.scopes = Set(scopes).sorted()
    self.resources = resources
  }
}

import KeyrackProtocol

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

/// That the provider gives no token for a target.
struct TargetRefusal: Sendable {
  let error: ReplyError
  /// Nil: as long as the refresh token is the same.
  let until: ContinuousClock.Instant?

  func holds(at now: ContinuousClock.Instant) -> Bool { until.map { now < $0 } ?? true }
}

package import KeyrackProtocol

/// What a token endpoint granted.
package struct Grant: Sendable, Equatable {
  package var accessToken: Secret
  package var tokenType: String
  /// Of the access token; nil where the provider did not say.
  package var lifetime: Duration?
  /// When the provider wants to be asked again, from the request on (`refresh_in`).
  package var refreshIn: Duration?
  /// Nil: the one that was sent stays good, where one was.
  package var refreshToken: Secret?
  package var refreshLifetime: Duration?
  package var scope: String?
  package var subject: String?
  /// As it came, not checked.
  package var idToken: Secret?

  package init(
    accessToken: Secret, tokenType: String = "Bearer", lifetime: Duration? = nil,
    refreshIn: Duration? = nil, refreshToken: Secret? = nil, refreshLifetime: Duration? = nil, scope: String? = nil,
    subject: String? = nil
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.lifetime = lifetime
    self.refreshIn = refreshIn
    self.refreshToken = refreshToken
    self.refreshLifetime = refreshLifetime
    self.scope = scope
    self.subject = subject
  }
}

/// How a request for tokens ended (REFRESH.md's outcome classes). Messages are for people, one line, without secrets and
/// without the account's name.
package enum TokenOutcome: Sendable, Equatable {
  case success(Grant)
  /// The provider has said no, and will say so again.
  case rejected(Rejection)
  /// 429, 503 or another 4xx with `Retry-After`, `temporarily_unavailable`: not processed.
  case throttled(String, retryAfter: Duration?)
  /// The request did not leave, or was certainly not processed.
  case notSent(String)
  /// The request left, and nobody knows what became of it. A provider that failed may say when to come back.
  case unknown(String, retryAfter: Duration? = nil)
}

/// A definite answer that is no grant.
package struct Rejection: Sendable, Equatable {
  package enum Cause: Sendable, Equatable {
    /// The password or the refresh token is no good: `invalid_grant`, or the like.
    case grant(LoginReason)
    /// 400 without a word. Some providers say so of a dead refresh token.
    case unexplained
    /// `invalid_client`, `unauthorized_client`: no token of this client is judged.
    case client
    /// `invalid_scope`, `invalid_target`.
    case target
    /// `invalid_request`: what Hydra says where another refresh is under way.
    case conflict
    /// This request is refused; the token is not judged. Of codes that nobody knows, too: they are worth another try
    /// after a while, and no reason to end a session.
    case request
    /// An answer that makes no sense, or a code that nobody knows: to be tried again, as it says nothing about the token.
    case answer
  }

  package let cause: Cause
  package let message: String
  /// What to do about it, where the provider's configuration knows.
  package let hint: String?
  /// A new refresh token that the answer held all the same.
  package let refreshToken: Secret?

  package init(_ cause: Cause, _ message: String, hint: String? = nil, refreshToken: Secret? = nil) {
    self.cause = cause
    self.message = message
    self.hint = hint
    self.refreshToken = refreshToken
  }

  /// Whether another scope or resource might have been answered otherwise.
  var isOfTarget: Bool { cause != .client }

  /// Whether any other might have been answered the same: the refresh token may be no good, or the provider broken.
  var mayBeOfAll: Bool {
    switch cause {
    case .grant, .unexplained, .answer: true
    case .client, .target, .conflict, .request: false
    }
  }

  /// Whether more scopes might be had by a new sign-in.
  var judgesScope: Bool {
    switch cause {
    case .grant, .unexplained, .target: true
    case .client, .conflict, .request, .answer: false
    }
  }
}

/// Tokens that an answer has brought, of those that have to be revoked where nobody may have them.
package struct MintedTokens: Sendable, Equatable {
  package var refreshToken: Secret?
  package var accessToken: Secret?
}

extension TokenOutcome {
  /// Nil where it brought none that could be read.
  var minted: MintedTokens? {
    switch self {
    case .success(let grant): MintedTokens(refreshToken: grant.refreshToken, accessToken: grant.accessToken)
    case .rejected(let rejection): rejection.refreshToken.map { MintedTokens(refreshToken: $0) }
    case .throttled, .notSent, .unknown: nil
    }
  }
}

package import KeyrackProtocol

/// Waits on this machine for the browser to come back (RFC 8252, 7.3), only while something is open.
package protocol RedirectListener: Sendable {
  /// Returns the redirect URI with its port. Each call is to be undone by one of ``close(_:)``.
  func open(_ redirect: RedirectURI) async throws(RedirectError) -> String
  /// Nobody is let in by it any more. Who is in still gets an answer.
  func close(_ redirectURI: String) async
  /// Reads the address that a browser on another machine ended on. Nil where that is another place than the redirect URI
  /// (RFC 8252, section 8.10).
  nonisolated func response(
    in pasted: Secret, at redirectURI: String
  ) throws(RedirectError) -> AuthorizationResponse?
}

/// Decides what becomes of an answer that a browser brought to an open redirect URI; which sign-in it belongs to is
/// told by its `state`. It may come twice, and from anybody on this machine.
package typealias AuthorizationResponseReceiver =
  @Sendable (AuthorizationResponse, _ redirectURI: String) async ->
  CallbackPage

/// What the browser is to show.
package enum CallbackPage: Sendable, Equatable {
  /// The sign-in was found, and its outcome is not known yet.
  case working
  case signedIn
  /// By the person or the provider.
  case denied
  /// Why. May hold text of the provider.
  case failed(String)
  /// No sign-in waits for this `state`.
  case unknownState
  /// The same answer came before.
  case alreadyUsed
}

extension CallbackPage {
  init(_ result: Result<LoginOperation.Reply, ReplyError>) {
    switch result {
    case .success: self = .signedIn
    case .failure(let error) where error.code == .loginDenied: self = .denied
    case .failure(let error): self = .failed(error.message)
    }
  }
}

/// Why there is no redirect URI that a browser could come back to.
package struct RedirectError: Error, Sendable, Equatable {
  package let message: String
  /// What to do.
  package let hint: String?

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

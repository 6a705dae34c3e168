package import KeyrackProtocol

/// Why an id_token is not believed. The message is one line and holds nothing of the token but the names of claims.
package struct IDTokenError: Error, Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// It is broken, not signed by the provider, not for us, or not of this time.
    case invalid
    /// It is good, and of another person.
    case otherSubject
    /// The provider's keys could not be had: nothing is known of the token.
    case keysUnavailable
  }

  package let kind: Kind
  package let message: String
  /// What to do about it.
  package let hint: String

  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint ?? Self.usualHint(kind)
  }

  private static func usualHint(_ kind: Kind) -> String {
    switch kind {
    case .invalid, .otherSubject: "if it comes again, tell whoever runs the provider"
    case .keysUnavailable: "keyrack check looks for the cause; where it finds none, tell whoever runs the provider"
    }
  }

  package var code: ErrorCode {
    switch kind {
    case .invalid: .providerError
    case .otherSubject: .subjectMismatch
    case .keysUnavailable: .temporarilyUnavailable
    }
  }
}

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

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var code: ErrorCode {
    switch kind {
    case .invalid: .providerError
    case .otherSubject: .subjectMismatch
    case .keysUnavailable: .temporarilyUnavailable
    }
  }
}

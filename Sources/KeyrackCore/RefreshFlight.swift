package import KeyrackProtocol

/// The refresh under way for a session, from the first look at the keyring to its end.
package struct RefreshFlight: Sendable {
  package let attempt: Int
  package internal(set) var target: TokenTarget
  /// Whether the refresh token has left, or may have.
  package internal(set) var isSent = false
  /// Whether the scope that the target names is left out, since the provider refused it.
  package internal(set) var omitsScope = false

  /// Whether the provider has said no, and only the keyring is asked once more.
  var isDenied: Bool { denial != nil }

  var firstSentAt: ContinuousClock.Instant?
  /// It was asked again after an answer that may mean something else the second time.
  var hasRepeated = false
  /// A refresh token of unknown fate was sent once more.
  var hasReplayed = false
  /// What the provider said of the refresh token, until the keyring was looked at for a newer one.
  var denial: SessionTrouble?
  /// The id_token that the provider granted, to be checked before anybody has the access token (REFRESH R27).
  package var uncheckedIDToken: Secret? { unpublished?.idToken }
  /// What the provider granted and the keyring does not have yet.
  var unpublished: Unpublished?

  struct Unpublished: Sendable {
    var record: SessionRecord
    var accessToken: AccessToken?
    var trouble: SessionTrouble?
    /// As it came.
    var idToken: Secret?
  }

  init(attempt: Int, target: TokenTarget) {
    self.attempt = attempt
    self.target = target
  }
}

/// That a refresh token is about to be spent: what must survive a crash to know that its fate is unknown (REFRESH R5, R9).
/// No secret.
package struct RefreshIntent: Sendable, Equatable, Decodable, JSONObject {
  package let account: String
  package let session: SessionID
  /// Of the refresh token.
  package let generation: Int
  /// Unix seconds.
  package let at: Int

  package init(of record: SessionRecord, at wall: Int) {
    account = record.account
    session = record.session
    generation = record.generation
    at = wall
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("session", session.description)
    object.member("generation", generation)
    object.member("at", at)
  }
}

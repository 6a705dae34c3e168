/// Something that has happened, for the journal. No field of it is ever a secret.
package struct Event: Sendable {
  package let kind: Kind
  package let level: EventLevel
  /// For people, without the account's name.
  package private(set) var message: String
  /// An account or, where there is none of that name, what a caller has asked for.
  package var account: String?
  package var session: SessionID?
  /// Who asked for it; nil where nobody did.
  package var caller: Caller?
  /// Why, in a word of the protocol: the `reason` of an error, or its code.
  package var reason: String?
  /// What was asked for, not what was granted; nil: nothing in particular.
  package var scope: String?
  package var resources: [String] = []
  /// The keyed fingerprint of a token.
  package var token: String?
  /// How many there were; nil: just this one.
  package var count: Int?

  /// `level`: nil for the usual one of the kind.
  package init(
    _ kind: Kind, _ message: String, level: EventLevel? = nil, account: String? = nil, session: SessionID? = nil,
    caller: Caller? = nil, reason: String? = nil, token: String? = nil
  ) {
    self.kind = kind
    self.level = level ?? kind.level
    self.message = message
    self.account = account
    self.session = session
    self.caller = caller
    self.reason = reason
    self.token = token
  }

  /// What has come after it and was the same, the last time by that caller.
  func repeated(_ count: Int, by caller: Caller) -> Event {
    var event = self
    event.message += count == 1 ? ", once more" : ", \(count) times more"
    event.caller = caller
    event.count = count
    return event
  }
}

/// The priorities of syslog.
package enum EventLevel: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

extension Event {
  /// `KEYRACK_EVENT` in the journal.
  package enum Kind: String, Sendable, CaseIterable {
    // Who may.
    case tokenGranted = "token_granted"
    case denied
    /// The person has said yes; a no is `denied`.
    case confirmed
    // Sessions.
    case signedIn = "signed_in"
    case signInFailed = "sign_in_failed"
    case subjectMismatch = "subject_mismatch"
    case loggedOut = "logged_out"
    /// All that was kept was removed.
    case purged
    case revoked
    case revocationFailed = "revocation_failed"
    case refreshed
    case refreshFailed = "refresh_failed"
    /// The provider refuses a refresh token that it may have been sent before: it may have taken that for theft.
    case reuseDetected = "reuse_detected"
    /// The provider refuses the refresh token for another reason.
    case loginRequired = "login_required"
    /// Another daemon has stored something newer in the same keyring.
    case sessionAdopted = "session_adopted"
    // What a session is kept in.
    case keyringFailed = "keyring_failed"
    case keyringRecovered = "keyring_recovered"
    case stateFailed = "state_failed"
    // The daemon.
    /// The person could not be told of a change.
    case noticeFailed = "notice_failed"
    case configuration
    case configurationRefused = "configuration_refused"
    case clientSecretChanged = "client_secret_changed"
    case started, stopping
    /// Events came faster than they could be written.
    case logOverflow = "log_overflow"

    package var level: EventLevel {
      switch self {
      case .reuseDetected, .stateFailed, .configurationRefused: .error
      case .subjectMismatch, .revocationFailed, .refreshFailed, .loginRequired, .keyringFailed, .noticeFailed,
        .logOverflow:
        .warning
      case .denied, .confirmed, .signedIn, .signInFailed, .loggedOut, .purged, .sessionAdopted, .keyringRecovered,
        .configuration, .clientSecretChanged:
        .notice
      case .tokenGranted, .revoked, .refreshed, .started, .stopping: .info
      }
    }

    /// `granted` or `denied`, where somebody had to be let.
    package var decision: String? {
      switch self {
      case .tokenGranted, .confirmed: "granted"
      case .denied: "denied"
      case .signedIn, .signInFailed, .subjectMismatch, .loggedOut, .purged, .revoked, .revocationFailed, .refreshed,
        .refreshFailed, .reuseDetected, .loginRequired, .sessionAdopted, .keyringFailed, .keyringRecovered,
        .stateFailed, .configuration, .configurationRefused, .clientSecretChanged, .noticeFailed, .started, .stopping,
        .logOverflow:
        nil
      }
    }
  }
}

extension Program.Confinement {
  /// Of `KEYRACK_PEER_CONFINEMENT`.
  package var name: String {
    switch self {
    case .flatpak(let name): "flatpak:\(name)"
    case .snap(let name): "snap:\(name)"
    case .container: "container"
    case .unknown: "unknown"
    }
  }
}

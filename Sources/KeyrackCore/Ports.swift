package import KeyrackProtocol

// What Core needs of the world. The edge implements it, tests fake it.

/// Talks to identity providers. Each call makes at most one request and never retries; a call whose task is canceled
/// ends soon with ``TokenOutcome/notSent(_:)`` or ``TokenOutcome/unknown(_:)``.
package protocol IdentityProvider: Sendable {
  /// Sends a name and a password, once.
  func signIn(username: String, password: Secret, account: Account) async -> TokenOutcome
  /// Spends a refresh token.
  func refresh(_ refreshToken: Secret, for target: TokenTarget, account: Account) async -> TokenOutcome
  /// Tells the provider that a session has ended.
  func revoke(_ revocation: Revocation, provider: Provider) async -> RevocationOutcome
}

extension Provider {
  /// Whether there is a way to tell it that a session has ended.
  package var supportsRevocation: Bool {
    switch kind {
    case .oauth(let oauth):
      switch habits.revocation {
      case .none: false
      case .endpoint: oauth.endpoints.revocation != nil
      case .github: true
      }
    case .json(let json): json.logoutURL != nil
    }
  }
}

package enum RevocationOutcome: Sendable, Equatable {
  /// The provider has acknowledged, or says that it does not know the token.
  case done
  case unsupported
  /// Worth trying again.
  case failed(String, retryAfter: Duration? = nil)
  /// The provider refuses for good.
  case refused(String)
}

/// Keeps sessions. Each call is bounded in time; a call that ended in an error may still have had its effect.
package protocol SessionStore: Sendable {
  /// Finds out whether records can be written.
  func prepare(_ unlock: UnlockPolicy) async throws(StoreError)
  /// All that is there.
  func all() async throws(StoreError) -> StoreContents
  /// The record of an account, nil where there is none.
  func record(of account: String, _ unlock: UnlockPolicy) async throws(StoreError) -> SessionRecord?
  /// Writes the record of an account and reads it back.
  func save(_ record: SessionRecord) async throws(StoreError)
  /// The same, unless the account has neither that record (nil: none that can be read) nor `expected`: throws `conflict`.
  func replace(_ expected: SessionRecord?, by record: SessionRecord) async throws(StoreError)
  /// Removes the record of an account, whatever session it is of.
  func removeRecord(of account: String) async throws(StoreError)
  func save(_ revocation: Revocation) async throws(StoreError)
  func removeRevocation(of session: SessionID) async throws(StoreError)
}

/// Keeps the secrets of clients, and their private keys.
package protocol ClientSecretStore: Sendable {
  /// Nil removes it. Somebody waits: a locked keyring may ask the person.
  func keep(_ secret: Secret?, of provider: String) async throws(StoreError)
}

extension SessionStore {
  package func record(of account: String) async throws(StoreError) -> SessionRecord? {
    try await record(of: account, .background)
  }
}

/// Keeps who signed in, where a provider tells that only once.
package protocol PersonStore: Sendable {
  func keep(_ person: Person, of account: String) async throws(StoreError)
  /// Nil where there is none.
  func person(of account: String) async throws(StoreError) -> Person?
}

/// Who may be asked to unlock a locked keyring.
package enum UnlockPolicy: Sendable {
  /// Nobody: one that is locked stays so.
  case never
  /// A prompt may take 2 s, once per lock.
  case background
  /// Somebody waits in a sign-in: 60 s.
  case interactive
}

package struct StoreContents: Sendable, Equatable {
  package var records: [SessionRecord]
  package var revocations: [Revocation]
  /// By account.
  package var unusable: [String: UnusableRecord]

  package init(
    records: [SessionRecord] = [], revocations: [Revocation] = [], unusable: [String: UnusableRecord] = [:]
  ) {
    self.records = records
    self.revocations = revocations
    self.unusable = unusable
  }
}

/// A record that is in the keyring and cannot be used.
package struct UnusableRecord: Sendable, Equatable {
  package let message: String
  /// Whether a sign-in may take its place. Not where a newer version of Keyrack has written it.
  package let isReplaceable: Bool

  package init(_ message: String, isReplaceable: Bool) {
    self.message = message
    self.isReplaceable = isReplaceable
  }
}

package enum StoreError: Error, Sendable, Equatable {
  case locked
  case unavailable(String)
  /// What it holds of this account. The keyring itself is well.
  case unusable(UnusableRecord)
  /// Another daemon has stored this.
  case conflict(SessionRecord)
  /// Anything else, a call that took too long included.
  case failed(String)
}

/// Remembers which sessions have ended while the keyring may still hold them. Holds no secret.
package protocol EndedSessions: Sendable {
  /// Returns when the note would survive a crash. `session` is nil where nobody knows it: then all sessions of the
  /// account that began before `at` (Unix seconds) have ended.
  func add(_ note: EndedSession) async throws(StateError)
  func remove(_ note: EndedSession) async
  func removeAll() async
  func all() async -> [EndedSession]
}

package struct EndedSession: Sendable, Hashable, Decodable, JSONObject {
  package let account: String
  package let session: SessionID?
  package let at: Int

  package init(account: String, session: SessionID?, at: Int) {
    self.account = account
    self.session = session
    self.at = at
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("account", account)
    object.member("session", session?.description)
    object.member("at", at)
  }
}

/// Remembers which refresh tokens were about to be spent. Holds no secret.
package protocol RefreshIntents: Sendable {
  /// Returns when the intent would survive a crash. It takes the place of an older one of the session.
  func add(_ intent: RefreshIntent) async throws(StateError)
  func remove(of session: SessionID) async
  func interrupted() async -> [RefreshIntent]
  func removeAll() async
}

/// What is not in the state directory as it should be.
package struct StateError: Error, Equatable {
  /// "could not write /path: reason".
  package let message: String
  package init(message: String) { self.message = message }
}

/// The numbered steps of one refresh (REFRESH.md, section 1), for tests that end the daemon there.
package enum RefreshStep: String, Sendable, CaseIterable {
  /// P1, P2: the keyring was read.
  case checked
  /// P3: the intent is on disk.
  case intended
  /// P4: the request is about to leave.
  case sent
  /// P5: the answer was read.
  case answered
  /// P6: the keyring has the new refresh token.
  case stored
  /// P7: the intent is gone.
  case cleared
  /// P7: whoever waited has the new access token.
  case published
}

/// Time, as the daemon sees it.
package protocol TimeSource: Sendable {
  /// Counts suspend (CLOCK_BOOTTIME).
  var now: ContinuousClock.Instant { get }
  /// Unix seconds, by a clock that anybody may set.
  var wall: Int { get }
  /// `now`, for a later daemon of the same boot; nil where the kernel does not tell which boot it is.
  var boot: BootTime? { get }
  /// Returns at that time or, where the task is canceled, at once with `CancellationError`.
  func sleep(until deadline: ContinuousClock.Instant) async throws
}

/// Digests, from a library at the edge.
package protocol Digest: Sendable {
  /// SHA-256 in lower-case hexadecimal.
  func sha256(_ bytes: [UInt8]) -> String
}

/// Names tokens where they cannot be told.
package protocol Fingerprints: Sendable {
  /// The same for the same token as long as the daemon runs, and of no use to find out the token.
  func fingerprint(of token: Secret) -> String
}

/// Reads the configuration again.
package protocol ConfigurationSource: Sendable {
  func read() async throws(ConfigurationError) -> Configuration
  /// What a program calls a place, as the groups `[use …]` have theirs. Nil for what none of them could name.
  func place(_ url: String, for use: ResolveOperation.Use) -> WebPlace?
}

package struct ConfigurationError: Error, Sendable, Equatable {
  /// "FILE: [GROUP] KEY: what is wrong".
  package let message: String
  /// What would be right.
  package let hint: String?

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

/// A command of the person's that is told of events.
package protocol EventHook: Sendable {
  /// Returns at once. The line ends with its line feed.
  func tell(_ line: [UInt8], to command: String)
}

/// Shows the person what they should see to, where there is a way to. Both return at once.
package protocol NoticeDisplay: Sendable {
  /// In place of what is shown of the same subject.
  func show(_ notice: Notice)
  func close(_ subject: Notice.Subject)
}

/// What happens, for the journal.
package protocol EventLog: Sendable {
  func record(_ event: Event)
}

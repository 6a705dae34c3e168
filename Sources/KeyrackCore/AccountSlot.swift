import KeyrackProtocol

/// What the coordinator holds for one configured account. Only the coordinator has it: a class, since a copy of all that
/// is in it would cost as much as the rest of answering a cached token.
final class AccountSlot {
  var account: Account
  /// The session that the account name stands for now.
  var session: UserSession? { didSet { changed?() } }
  var login: PendingSignIn?
  /// Who it is, where the provider tells that only once.
  var person: Person?
  /// The keyring's record of this account, where it cannot be used.
  var unusable: UnusableRecord?
  /// Since when there is no session, Unix seconds.
  var signedOutSince: Int

  /// Called when the session is another one or has changed, while anybody is told of that.
  var changed: (() -> Void)?

  init(account: Account, wall: Int) {
    self.account = account
    signedOutSince = wall
  }

  /// A token in memory, if it will do. That it was used is no change that anybody is told of.
  func tokenAtOnce(_ need: TokenRequirement, now: ContinuousClock.Instant) -> AccessToken? {
    let told = changed
    changed = nil
    defer { changed = told }
    return session?.tokenAtOnce(need, now: now)
  }
}

/// What a request can wait for.
enum Awaited: Hashable {
  case refresh(SessionID)
  /// The look into the keyring for what another daemon has stored.
  case look(SessionID)
  /// An attempt to read the keyring.
  case keyring
  /// One part of a check.
  case check(Int)
  /// What the person says.
  case confirmation(ConfirmationQuestion)
}

/// How waiting ended.
enum Wake {
  /// What was waited for has ended, well or not.
  case settled
  /// The session has ended.
  case ended
  case timedOut
  case shuttingDown
}

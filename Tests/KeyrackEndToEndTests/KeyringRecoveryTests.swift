import Foundation
import Glibc
import KeyrackClient
import KeyrackProtocol
import TestSupport
import Testing

/// The keyring locked, gone, back, or with an item that cannot be used: the daemon is never started again for it.
@Suite(.timeLimit(.minutes(2))) struct KeyringRecoveryTests {
  enum Fault: CaseIterable { case keyringRestarted, busRestarted, helperKilled }

  @Test(arguments: Fault.allCases) func theNextRefreshWorksAndIsStored(after fault: Fault) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    switch fault {
    case .keyringRestarted:
      try await fixture.session.killKeyring()
      try await fixture.session.startKeyring()
    case .busRestarted:
      await fixture.session.killBus()
      try await fixture.session.startBus()
      try await fixture.session.startKeyring()
    case .helperKilled: kill(try await fixture.helper(), SIGKILL)
    }
    #expect(try await fixture.token() == first)
    var second = first
    try await eventually("a refresh") {
      do { second = try await fixture.token(insteadOf: first) } catch let error as ReplyError {
        guard [.keyringUnavailable, .keyringError].contains(error.code) else { throw error }
      }
      return second != first
    }
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    #expect(try await fixture.status().keyring.state == .ok)
    #expect(try await fixture.status(of: "work").saved)
    #expect(try await fixture.sawReuse() == false)
  }

  // MARK: At the start

  @Test func startedWithALockedKeyringItServesAndNeedsNoRestartOnceUnlocked() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    try await fixture.daemon.stop()
    try await fixture.session.lock()
    try await fixture.daemon.start()
    try await expectServing(fixture, .keyringLocked, .locked)
    try await fixture.session.unlock()
    let token = try await fixture.token()
    #expect(try await fixture.provider.accepts(accessToken: token))
    #expect(try await fixture.status().keyring.state == .ok)
    #expect(try await fixture.status(of: "work").state == .active)
  }

  @Test(arguments: [false, true])
  func startedWithoutAKeyringItServesAndNeedsNoRestartOnceThereIsOne(withBus: Bool) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    try await fixture.daemon.stop()
    if withBus { try await fixture.session.killKeyring() } else { await fixture.session.killBus() }
    try await fixture.daemon.start()
    try await expectServing(fixture, .keyringUnavailable, .unavailable)
    if !withBus { try await fixture.session.startBus() }
    try await fixture.session.startKeyring()
    let token = try await fixture.token()
    #expect(try await fixture.provider.accepts(accessToken: token))
    #expect(try await fixture.status().keyring.state == .ok)
  }

  private func expectServing(
    _ fixture: KeyrackFixture, _ code: ErrorCode, _ keyring: KeyringStatus.State
  ) async throws {
    let socket = fixture.daemon.socket
    // Throws where they are late: the first attempt at the keyring has 2 s for a prompt and 10 s in all.
    try await BlockingThread.run {
      let client = try Client(path: socket)
      _ = try client.call(VersionOperation(), within: .seconds(1))
      _ = try client.call(StatusOperation(), within: .seconds(1))
    }
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    #expect(error.code == code)
    #expect(error.hint != nil)
    #expect(try await fixture.status().keyring.state == keyring)
    #expect(try await fixture.status(of: "work").state == .keyringLocked)
    #expect(try await fixture.provider.log().count == 1)
  }

  // MARK: An item that cannot be used

  enum Damage: CaseIterable {
    case empty, garbage, wrongChecksum

    func applied(to secret: String) -> String {
      switch self {
      case .empty: ""
      case .garbage: "garbage"
      case .wrongChecksum: secret.replacing("alice", with: "mallory").replacing("keyrack-test", with: "keyrack-tost")
      }
    }
  }

  @Test(arguments: Damage.allCases) func aTornItemIsReportedKeptAndReplacedBySigningIn(_ damage: Damage) async throws {
    let fixture = try await KeyrackFixture()
    let torn = try await restart(fixture) { damage.applied(to: $0) }
    try await expectUnusable(fixture, torn, saying: "damaged", hint: "keyrack login work")
    #expect(try await fixture.signIn().warnings.isEmpty)
    let token = try await fixture.token()
    #expect(try await fixture.onlyItem().secret.contains(fixture.newestRefreshToken()))
    try await fixture.daemon.restart()
    #expect(try await fixture.token() != token)
  }

  @Test func aTornItemGoesWithItsLogout() async throws {
    let fixture = try await KeyrackFixture()
    _ = try await restart(fixture) { Damage.wrongChecksum.applied(to: $0) }
    let logout = try await fixture.daemon.keyrack("logout", "work")
    #expect(logout.status == 0)
    #expect(
      logout.error == """
        signed out of work; the provider cannot be told
        keyrack: warning: what the keyring had of the session was damaged, or never written to its end: end it at the \
        provider, too, as it is not told

        """)
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
    let again = try await fixture.daemon.call(LogoutOperation(account: "work"))
    #expect(again == .init(account: "work", local: .done, remote: .none))
  }

  @Test(arguments: [true, false]) func anItemOfANewerVersionIsLeftAloneByASignIn(remember: Bool) async throws {
    let fixture = try await KeyrackFixture()
    let newer = try await restart(fixture, Self.newer)
    try await expectUnusable(fixture, newer, saying: "newer version", hint: "upgrade Keyrack")
    await #expect { try await fixture.signIn(remember: remember) } throws: {
      ($0 as? ReplyError)?.code == .keyringError && ($0 as? ReplyError)?.hint?.contains("upgrade Keyrack") == true
    }
    #expect(try await fixture.onlyItem() == newer)
    #expect(try await fixture.provider.log().count == 1)
  }

  @Test func anItemOfANewerVersionIsNotOverwrittenByARefresh() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let item = try await fixture.onlyItem()
    try await fixture.put(Self.newer(item.secret), in: item)
    let newer = try await fixture.onlyItem()
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
    #expect(error.code == .keyringError)
    #expect(error.message.contains("newer version"))
    #expect(try await fixture.token() == first)
    #expect(try await fixture.onlyItem() == newer)
    #expect(try await fixture.provider.log().count == 1)
    // Nothing was lost by that.
    try await fixture.put(item.secret, in: item)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token(insteadOf: first)))
  }

  /// What the daemon has in memory is better than that, or than nothing.
  @Test(arguments: [.empty, .garbage, .wrongChecksum, nil] as [Damage?])
  func anItemThatWasTornOrTakenAwayIsStoredAgainByTheNextRefresh(_ damage: Damage?) async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let item = try await fixture.onlyItem()
    if let damage {
      try await fixture.put(damage.applied(to: item.secret), in: item)
    } else {
      try await fixture.session.removeItems()
    }
    let second = try await fixture.token(insteadOf: first)
    #expect(second != first)
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    try await fixture.daemon.restart()
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    #expect(try await fixture.sawReuse() == false)
  }

  private static func newer(_ secret: String) -> String {
    secret.replacing(#""version":1"#, with: #""version":2"#)
  }

  /// Signs in, and starts the daemon again with the item changed. Returns the item.
  private func restart(_ fixture: KeyrackFixture, _ change: (String) -> String) async throws -> PrivateSession.Item {
    try await fixture.signIn()
    try await fixture.daemon.stop()
    let item = try await fixture.onlyItem()
    let secret = change(item.secret)
    try #require(secret != item.secret)
    try await fixture.put(secret, in: item)
    let changed = try await fixture.onlyItem()
    #expect(changed.secret == secret)
    try await fixture.daemon.start()
    return changed
  }

  private func expectUnusable(
    _ fixture: KeyrackFixture, _ item: PrivateSession.Item, saying what: String, hint: String
  ) async throws {
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    #expect(error.code == .keyringError)
    #expect(error.message.contains(what))
    #expect(error.hint?.contains(hint) == true)
    let status = try await fixture.status(of: "work")
    #expect(status.state == .signedOut)
    #expect(status.lastError?.code == .keyringError)
    #expect(status.lastError?.message.contains(what) == true)
    #expect(try await fixture.onlyItem() == item)
  }
}

extension KeyrackFixture {
  /// Of the newest sign-in.
  fileprivate func newestRefreshToken() async throws -> String {
    let tokens = try await provider.tokens().filter { $0.kind == .refresh }
    return try #require(tokens.max { $0.family < $1.family }).token
  }
}

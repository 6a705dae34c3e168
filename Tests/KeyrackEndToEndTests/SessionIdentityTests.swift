import KeyrackProtocol
import TestSupport
import Testing

/// Nothing of one session reaches another, in whatever order things happen.
@Suite(.timeLimit(.minutes(2))) struct SessionIdentityTests {
  private static let owners = ["work": "alice", "other": "bob"]
  private static let passwords = ["alice": KeyrackFixture.password, "bob": KeyrackFixture.bobsPassword]

  // MARK: Two accounts

  @Test func twoAccountsAtOneProviderNeverMix() async throws {
    let fixture = try await KeyrackFixture(accounts: ["work", "other"])
    for (account, user) in Self.owners {
      try await fixture.signIn(account, username: user, password: try #require(Self.passwords[user]))
    }
    let served = try await withThrowingTaskGroup(of: [Served].self) { group in
      for worker in 0..<8 { group.addTask { try await Self.work(worker, operations: 125, fixture) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let log = try await fixture.provider.log()
    let users = Dictionary(uniqueKeysWithValues: log.compactMap { entry in entry.accessToken.map { ($0, entry.user) } })
    // How many find nobody signed in depends on how fast a sign-in is.
    #expect(served.count > 100)
    for token in served { #expect(users[token.token] == Self.owners[token.account]) }
    #expect(log.count { $0.grantType == "refresh_token" } > 10)
    #expect(log.allSatisfy { [.granted, .revoked, .nothingToRevoke].contains($0.outcome) })
    try await fixture.keyringHolds(0, "revoke")
    let alive = try await fixture.provider.tokens().filter { $0.kind == .refresh }
    #expect(alive.map(\.user).sorted() == ["alice", "bob"])
    for item in try await fixture.items("session") {
      let owner = Self.owners[item.attributes["account"] ?? ""]
      #expect(alive.contains { $0.user == owner && item.secret.contains($0.token) })
    }
  }

  private struct Served {
    let account: String
    let token: String
  }

  /// Operations of one client on both accounts. The first two clients now and then end a session and begin another, one
  /// of each account.
  private static func work(_ number: Int, operations: Int, _ fixture: KeyrackFixture) async throws -> [Served] {
    var random = SeededGenerator(UInt64(number))
    let wire = try Wire(fixture.daemon.socket)
    let accounts = owners.keys.sorted()
    var served: [Served] = []
    for _ in 0..<operations {
      let account = accounts[Int.random(in: 0...1, using: &random)]
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where number < 2: try await renew(accounts[number], wire)
      case 0..<3: _ = try await wire.call(StatusOperation(account: account))
      case let choice:
        let newest = served.last { $0.account == account }?.token
        let rejected = choice < 10 ? newest.map { Secret($0) } : nil
        do {
          let reply = try await wire.call(TokenOperation(account: account, rejected: rejected))
          #expect(reply.account == account)
          served.append(Served(account: account, token: text(reply.token)))
        } catch let error as ReplyError {
          #expect([.sessionEnded, .loginRequired].contains(error.code), "\(error)")
        }
      }
    }
    return served
  }

  private static func renew(_ account: String, _ wire: Wire) async throws {
    guard let user = owners[account], let password = passwords[user] else { return }
    _ = try await wire.call(LogoutOperation(account: account))
    _ = try await wire.call(LoginOperation(account: account, username: user, password: Secret(password)))
  }

  // MARK: Sessions that end while work of theirs is under way

  /// The system is never idle: requests come faster than a refresh takes. What it owes at the moment of a logout must be
  /// dropped, whichever it is. All goes over one connection, so that the order of its lines is the order of events.
  @Test func noResultOfAnEndedSessionIsEverDelivered() async throws {
    let fixture = try await KeyrackFixture(accessLifetime: 0.05)
    try await fixture.provider.script("/token", count: 1_000_000, delay: .milliseconds(20))
    var random = SeededGenerator(7)
    let line = try OrderedCalls(fixture.daemon.socket)
    var delivered: [(token: String, session: Int)] = []
    for session in 1...Self.sessions {
      // Every other one is in memory only.
      let login = LoginOperation(
        account: "work", username: "alice", password: Self.secret, remember: session.isMultiple(of: 2))
      _ = try await line.reply(to: login)
      #expect(line.takeTokens().isEmpty, "delivered between two sessions")
      var newest = text(try await line.reply(to: TokenOperation(account: "work")).token)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        try await line.send(TokenOperation(account: "work", rejected: Secret(newest)))
        try await Task.sleep(for: .microseconds(Int.random(in: 0...6000, using: &random)))
        if Bool.random(using: &random) { newest = try await line.newestToken() ?? newest }
      }
      let isLast = session == Self.sessions
      if !isLast { _ = try await line.reply(to: LogoutOperation(account: "work")) }
      if isLast { try await line.rest() }
      delivered += line.takeTokens().map { ($0, session) }
    }
    try await expectOwnTokens(delivered, fixture)
    try await fixture.keyringHolds(1)
    // It is refreshed ahead for as long as it counts as in use.
    try await eventually("the newest refresh token to be kept") {
      try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken())
    }
    #expect(try await fixture.provider.tokens().allSatisfy { $0.family == Self.sessions })
  }

  private static let sessions = 60
  private static let secret = Secret(KeyrackFixture.password)

  /// The n-th sign-in is the n-th family of the provider.
  private func expectOwnTokens(_ delivered: [(token: String, session: Int)], _ fixture: KeyrackFixture) async throws {
    let log = try await fixture.provider.log()
    let families = Dictionary(
      uniqueKeysWithValues: log.compactMap { entry in entry.accessToken.map { ($0, entry.family) } })
    #expect(delivered.count > Self.sessions)
    for (token, session) in delivered { #expect(families[token] == session) }
    #expect(log.allSatisfy { $0.outcome != .reuse && $0.outcome != .denied })
  }
}

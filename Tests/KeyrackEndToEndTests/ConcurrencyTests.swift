import Foundation
import KeyrackClient
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Many callers at once, and callers while something else hangs.
@Suite(.timeLimit(.minutes(2))) struct ConcurrencyTests {
  // MARK: One refresh for all

  @Test func twoHundredClientsShareOneRefresh() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    let clients = try await clients(200, rejecting: first, fixture)
    try await fixture.provider.waitForRequests("/token", count: 2)
    try await fixture.provider.release("/token")
    let answers = try await answers(of: clients)
    #expect(answers.count == 200)
    #expect(Set(answers).count == 1)
    #expect(try await fixture.provider.accepts(accessToken: answers[0]))
    #expect(try await fixture.provider.log().count { $0.path == "/token" } == 2)
  }

  @Test func aRefreshGoesOnWhenHalfOfItsCallersHangUp() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    var clients = try await clients(200, rejecting: first, fixture)
    try await fixture.provider.waitForRequests("/token", count: 2)
    clients.removeFirst(100)
    try await fixture.provider.release("/token")
    let answers = try await answers(of: clients)
    #expect(answers.count == 100)
    #expect(Set(answers).count == 1)
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    #expect(try await fixture.provider.log().count { $0.path == "/token" } == 2)
  }

  @Test func aRefreshThatNobodyWaitsForIsStored() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    var clients = try await clients(3, rejecting: first, fixture)
    try await fixture.provider.waitForRequests("/token", count: 2)
    clients.removeAll()
    try await fixture.provider.release("/token")
    try await eventually("the new token in the keyring") {
      try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken())
    }
    try await eventually("it to be handed out") { try await fixture.token() != first }
    #expect(try await fixture.provider.log().count == 2)
  }

  /// Connections that have asked for a token.
  private func clients(_ count: Int, rejecting token: String, _ fixture: KeyrackFixture) async throws -> [Wire] {
    let line = TokenOperation(account: "work", rejected: Secret(token)).line()
    var clients: [Wire] = []
    for _ in 0..<count {
      let wire = try Wire(fixture.daemon.socket)
      try await wire.send(line)
      clients.append(wire)
    }
    return clients
  }

  private func answers(of clients: [Wire]) async throws -> [String] {
    var answers: [String] = []
    for wire in clients {
      let line = try await wire.line() ?? ""
      answers.append(text(try Reply<TokenOperation.Reply>(line: line.utf8).result.get().token))
    }
    return answers
  }

  // MARK: A crash

  @Test func theNewestRefreshTokenSurvivesAKillRightAfterTheReply() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    for _ in 0..<10 {
      let token = try await fixture.token()
      _ = try await fixture.token(insteadOf: token)
      await fixture.daemon.kill()
      #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
      try await fixture.daemon.start()
    }
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    let refreshes = try await fixture.provider.log().filter { $0.grantType == "refresh_token" }
    #expect(refreshes.map(\.outcome) == Array(repeating: .granted, count: 20))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can see what the helper waits for"))
  func aStoreUnderWayOutlivesTheDaemon() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(TokenOperation(account: "work", rejected: Secret(first)).line())
    try await fixture.provider.waitForRequests("/token", count: 2)
    await fixture.session.stopKeyring()
    let helper = try await fixture.helper()
    func isReading() throws -> Bool {
      // The number of read(2), and standard input.
      try String(contentsOfFile: "/proc/\(helper)/syscall", encoding: .utf8).hasPrefix("0 0x0 ")
    }
    try await eventually("the helper to have nothing to do") { try isReading() }
    try await fixture.provider.release("/token")
    try await eventually("the helper to be at work") { try !isReading() }
    await fixture.daemon.kill()
    await fixture.session.continueKeyring()
    let live = try await fixture.liveRefreshToken()
    try await eventually("the store") { try await fixture.onlyItem().secret.contains(live) }
    try await fixture.daemon.start()
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
    #expect(try await fixture.sawReuse() == false)
  }

  // MARK: Something hangs

  @Test func aLockedOrHungKeyringDelaysNoTokenInMemory() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let token = try await fixture.token()
    try await fixture.session.lock()
    try await expectPrompt(token, "work", fixture)
    try await fixture.session.unlock()
    await fixture.session.stopKeyring()
    // The daemon waits for the keyring from now on.
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(TokenOperation(account: "work", rejected: Secret(token)).line())
    try await expectPrompt(token, "work", fixture)
    #expect(try await fixture.status(of: "work").state == .refreshing)
    await fixture.session.continueKeyring()
    let answer = try Reply<TokenOperation.Reply>(line: (try await wire.line() ?? "").utf8).result.get()
    #expect(try await fixture.provider.accepts(accessToken: text(answer.token)))
  }

  @Test func aHungProviderDelaysNoOtherAccount() async throws {
    let fixture = try await KeyrackFixture(accounts: ["work", "other"])
    try await fixture.signIn()
    try await fixture.signIn("other", username: "bob", password: KeyrackFixture.bobsPassword)
    let (first, others) = try await (fixture.token(), fixture.token("other"))
    try await fixture.provider.script("/token", hold: true)
    async let second = fixture.token(insteadOf: first)
    try await fixture.provider.waitForRequests("/token", count: 3)
    try await expectPrompt(others, "other", fixture)
    try await fixture.provider.release("/token")
    #expect(try await second != first)
  }

  @Test func aHungKeyringIsReportedAndNoRefreshTokenSpent() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    await fixture.session.stopKeyring()
    let (took, error) = try await timed {
      try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
    }
    #expect(error.code == .keyringError)
    // The keyring has 10 s; the rest is for a busy machine, and less than the 30 s of the request.
    #expect(took < .seconds(15))
    #expect(try await fixture.provider.log().count == 1)
    #expect(try await fixture.status(of: "work").state == .keyringLocked)
    await fixture.session.continueKeyring()
    #expect(try await fixture.provider.accepts(accessToken: fixture.token(insteadOf: first)))
  }

  /// Asks a hundred times, from a thread that nothing else runs on. The machine may be busy with other tests, so that
  /// some answers may come late; a daemon that waits for something would be late with all of them, by seconds.
  private func expectPrompt(_ token: String, _ account: String, _ fixture: KeyrackFixture) async throws {
    let socket = fixture.daemon.socket
    let times = try await BlockingThread.run {
      let client = try Client(path: socket)
      return try (0..<100).map { _ in
        let start = ContinuousClock.now
        let reply = try client.call(TokenOperation(account: account))
        #expect(text(reply.token) == token)
        return ContinuousClock.now - start
      }.sorted()
    }
    #expect(times[89] < .milliseconds(50))
    #expect(times[99] < .seconds(1))
  }
}

import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// More than the least number of rounds takes, by `make soak`.
private let seconds = ProcessInfo.processInfo.environment["KEYRACK_SOAK_SECONDS"].flatMap { Int($0) } ?? 0

/// Round after round of callers, hang-ups, refreshes, logouts and sign-ins: no session is lost, nothing grows.
@Suite(.timeLimit(.minutes(seconds / 60 + 3))) struct SoakTests {
  private static let rounds = 50
  /// The first fill caches and stacks.
  private static let warmUp = 10

  @Test func roundsOfEverythingLoseNoSessionAndLeaveNothing() async throws {
    let fixture = try await KeyrackFixture(accounts: ["work", "other"])
    try await fixture.signIn()
    var rounds = SoakRounds(fixture)
    let end = ContinuousClock.now + .seconds(seconds)
    var first: [ProcessFootprint] = []
    while rounds.count < Self.rounds + Self.warmUp || ContinuousClock.now < end {
      if rounds.count == Self.warmUp { first = try await footprints(fixture) }
      try await rounds.next()
    }
    let last = try await footprints(fixture)
    print("soak: \(rounds.count) rounds; after \(Self.warmUp): \(first); at the end: \(last)")
    try #require(first.count == 2 && last.count == 2)
    for (before, after) in zip(first, last) {
      #expect(after.pid == before.pid)
      #expect(after.threads == before.threads)
      #expect(after.descriptors == before.descriptors)
    }
    let counted = rounds.count - Self.warmUp
    #expect(last[0].residentKiB - first[0].residentKiB < 2048, "keyrackd after \(counted) rounds")
    // libsecret loses 1.6 kB with each look at a secret: 9 KiB a round.
    #expect(last[1].residentKiB - first[1].residentKiB < 2048 + 12 * counted, "keyrack-keyring after \(counted) rounds")
  }

  /// Of keyrackd and keyrack-keyring, once the connections of a round have gone.
  private func footprints(_ fixture: KeyrackFixture) async throws -> [ProcessFootprint] {
    var last: [ProcessFootprint] = []
    try await eventually("the connections to go") {
      let now = try await fixture.processes().map(ProcessFootprint.init)
      defer { last = now }
      return now.map(\.descriptors) == last.map(\.descriptors)
    }
    return last
  }
}

/// Each with 200 callers whose token a server refused, some of whom hang up before there is another.
private struct SoakRounds {
  private static let callers = 200

  private(set) var count = 0
  private let fixture: KeyrackFixture
  private var random = SeededGenerator(2026)
  /// The number of the provider's last request that was looked at.
  private var seen = 0

  init(_ fixture: KeyrackFixture) { self.fixture = fixture }

  mutating func next() async throws {
    let spent = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    seen = try await fixture.provider.log(after: seen).last?.number ?? seen
    var callers = try await callers(rejecting: spent)
    try await fixture.provider.waitForRequests("/token", after: seen)
    callers.shuffle(using: &random)
    callers.removeFirst(Int.random(in: 0...Self.callers, using: &random))
    if count % 5 == 4 { try await endSession(of: callers) } else { try await endRefresh(of: callers, spent) }
    try await signInAndOut()
    try await expectSound(otherThan: spent)
    count += 1
  }

  private func callers(rejecting token: String) async throws -> [Wire] {
    let line = TokenOperation(account: "work", rejected: Secret(token)).line()
    var callers: [Wire] = []
    for _ in 0..<Self.callers {
      let wire = try Wire(fixture.daemon.socket)
      try await wire.send(line)
      callers.append(wire)
    }
    return callers
  }

  private func endRefresh(of callers: [Wire], _ spent: String) async throws {
    try await fixture.provider.release("/token")
    var tokens: Set<String> = []
    for caller in callers { tokens.insert(text(try await reply(to: caller).get().accessToken)) }
    #expect(tokens.count == (callers.isEmpty ? 0 : 1))
    #expect(!tokens.contains(spent))
  }

  /// By a logout while the refresh is under way.
  private func endSession(of callers: [Wire]) async throws {
    _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
    try await fixture.provider.release("/token")
    for caller in callers {
      let reply = try await reply(to: caller)
      #expect(throws: ReplyError.self) { try reply.get() }
    }
    try await fixture.signIn()
  }

  private func reply(to caller: Wire) async throws -> Result<TokenOperation.Reply, ReplyError> {
    try Reply<TokenOperation.Reply>(line: (try await caller.line() ?? "").utf8).result
  }

  private func signInAndOut() async throws {
    try await fixture.signIn("other", username: "bob", password: KeyrackFixture.bobsPassword)
    #expect(try await fixture.provider.accepts(accessToken: fixture.token("other")))
    let logout = try await fixture.daemon.call(LogoutOperation(account: "other", wait: true))
    #expect(logout == .init(account: "other", local: .done, remote: .done))
  }

  /// The account has a token that is good, and the keyring has the refresh token of it and nothing else.
  private func expectSound(otherThan spent: String) async throws {
    let token = try await fixture.token()
    #expect(token != spent)
    #expect(try await fixture.provider.accepts(accessToken: token))
    // A logout that nobody waited for is told to the provider when it is.
    try await eventually("the session to be all there is", within: .seconds(15)) {
      try await fixture.liveRefreshTokens().count == 1
    }
    try await fixture.keyringHolds(1)
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
  }
}

/// What a process takes up.
private struct ProcessFootprint: CustomStringConvertible {
  let pid: Int32
  let residentKiB: Int
  let threads: Int
  /// Nil where this user may not look.
  let descriptors: Int?

  init(_ pid: Int32) throws {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    func number(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
      return Int(line.filter(\.isWholeNumber)) ?? 0
    }
    self.pid = pid
    residentKiB = number("VmRSS")
    threads = number("Threads")
    descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
  }

  var description: String {
    "\(residentKiB) KiB, \(threads) threads, \(descriptors.map { "\($0)" } ?? "?") descriptors"
  }
}

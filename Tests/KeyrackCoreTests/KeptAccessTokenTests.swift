import KeyrackCore
import KeyrackProtocol
import Testing

/// What a session has that got no refresh token: its access token, kept in the keyring (REFRESH R16).
@Suite(.timeLimit(.minutes(1))) struct KeptAccessTokenTests {
  private static let day = 86_400

  enum Daemon: CaseIterable { case sameBoot, otherBoot, nobodyKnowsTheBoot, oldRecord }

  /// Signed in for an hour at 1,000,000 by the wall clock, 500 seconds after the boot.
  private func record(_ daemon: Daemon) -> SessionRecord {
    SessionRecord(
      session: SessionID(), account: "work", provider: "corp", audience: .corp, accessToken: Secret("at"),
      expiresAt: 1_003_600, expiresAtBoot: daemon == .oldRecord ? nil : BootTime(boot: "this", seconds: 4100),
      obtainedAt: 1_000_000)
  }

  /// How many seconds are left to it in a daemon that starts `age` seconds after the sign-in.
  private func left(_ daemon: Daemon, age: Int, wallError: Int) throws -> Int? {
    let boot: BootTime? =
      switch daemon {
      case .sameBoot, .oldRecord: BootTime(boot: "this", seconds: 500 + age)
      case .otherBoot: BootTime(boot: "other", seconds: 10)
      case .nobodyKnowsTheBoot: nil
      }
    let now = ContinuousClock.now
    let wall = 1_000_000 + age + wallError
    let token = try #require(AccessToken(kept: record(daemon), now: now, wall: wall, boot: boot))
    let left = try #require(token.remaining(at: now))
    return left > .zero ? Int(left.components.seconds) : nil
  }

  @Test(arguments: [0, day, -day])
  func theWallClockDoesNotCountWhileTheBootLasts(wallError: Int) throws {
    #expect(try left(.sameBoot, age: 600, wallError: wallError) == 2999)
    #expect(try left(.sameBoot, age: 3600, wallError: wallError) == nil)
  }

  @Test(arguments: [Daemon.otherBoot, .nobodyKnowsTheBoot, .oldRecord])
  func otherwiseItCountsAndAWrongOneMakesTheTokenStale(daemon: Daemon) throws {
    #expect(try left(daemon, age: 600, wallError: 0) == 2999)
    #expect(try left(daemon, age: 3600, wallError: 0) == nil)
    #expect(try left(daemon, age: 600, wallError: Self.day) == nil)
    #expect(try left(daemon, age: 600, wallError: -Self.day) == nil)
  }

  @Test(arguments: Daemon.allCases, [0, day, -day])
  func oneWithoutAnEndHasNone(daemon: Daemon, wallError: Int) throws {
    var record = record(daemon)
    (record.expiresAt, record.expiresAtBoot) = (nil, nil)
    let boot = BootTime(boot: "this", seconds: 600)
    let token = try #require(AccessToken(kept: record, now: .now, wall: 1_000_000 + wallError, boot: boot))
    #expect(token.deadline == nil)
  }

  @Test(arguments: [day, -day], [false, true])
  func aSteppedWallClockNeitherEndsNorProlongsASession(step: Int, isRestarted: Bool) async throws {
    let clock = FakeClock()
    var bench = Bench(provider: FakeProvider { _ in grant("at") }, clock: clock)
    _ = try await bench.signIn().get()
    clock.stepWall(by: step)
    if isRestarted { bench = Bench(contents: await bench.store.contents, clock: clock) }
    clock.advance(.seconds(3590))
    let reply = try await bench.ask().value.get()
    #expect(reply.token == Secret("at"))
    let expiresAt = try #require(reply.expiresAt)
    #expect((8...10).contains(expiresAt - clock.wall))
    clock.advance(.seconds(11))
    guard case .failure(let error) = await bench.ask().value else { return #expect(Bool(false)) }
    #expect(error.reason == "no_refresh_token")
  }

  @Test func itsLifetimeCountsFromTheRequest() async throws {
    let clock = FakeClock()
    let bench = Bench(clock: clock)
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    clock.advance(.seconds(20))
    await bench.provider.answerNext(grant("at"))
    _ = try await login.value.get()
    let record = try #require(await bench.store.contents.records.first)
    #expect(record.expiresAt == 1_003_600)
    #expect(record.expiresAtBoot == BootTime(boot: "this", seconds: 4100))
  }
}

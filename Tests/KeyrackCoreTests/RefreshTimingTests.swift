import KeyrackCore
import KeyrackProtocol
import Synchronization
import Testing

/// Hours of a daemon's life on a clock that the test moves.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct RefreshTimingTests {
  /// A provider that is down or up, as the test says, and numbers its tokens.
  final class Weather: Sendable {
    private let outcome = Mutex<TokenOutcome?>(nil)
    private let issued = Atomic<Int>(0)
    let lifetime: Int

    init(lifetime: Int) { self.lifetime = lifetime }

    func becomes(_ outcome: TokenOutcome?) { self.outcome.withLock { $0 = outcome } }

    func answer() -> TokenOutcome {
      if let outcome = outcome.withLock({ $0 }) { return outcome }
      let number = issued.add(1, ordering: .relaxed).newValue
      return grant("at-\(number)", "rt-\(number)", seconds: lifetime)
    }
  }

  let clock = FakeClock()

  func bench(
    _ weather: Weather, latency: Duration = .zero, records: [SessionRecord] = [Bench.record()],
    accounts: [String] = ["work"]
  ) -> Bench {
    let provider = FakeProvider(clock: clock, latency: latency) { _ in weather.answer() }
    return Bench(provider: provider, contents: StoreContents(records: records), clock: clock, accounts: accounts)
  }

  /// Seconds from one to the next.
  func gaps(_ times: [ContinuousClock.Instant]) -> [Double] {
    zip(times, times.dropFirst()).map { ($1 - $0) / .seconds(1) }
  }

  // MARK: Outages

  @Test(arguments: [TokenOutcome.notSent("down"), .unknown("lost"), .throttled("slow", retryAfter: .seconds(40))])
  func nobodyNoticesAnOutageThatIsShorterThanTheToken(_ trouble: TokenOutcome) async throws {
    let weather = Weather(lifetime: 1200)
    let bench = bench(weather)
    #expect(try await bench.ask().value.get().token == Secret("at-1"))
    await clock.run(.seconds(300))
    weather.becomes(trouble)
    for _ in 0..<89 {
      await clock.run(.seconds(10))
      #expect(try await bench.ask().value.get().token == Secret("at-1"))
    }
    weather.becomes(nil)
    await clock.run(.seconds(200))
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
  }

  /// Unknown outcomes: the refresh token is sent again only when no access token is left to protect (REFRESH R6).
  @Test func aTokenOfUnknownFateIsNotSentAgainWhileTheAccessTokenIsGood() async throws {
    let weather = Weather(lifetime: 1200)
    let bench = bench(weather)
    _ = try await bench.ask().value.get()
    weather.becomes(.unknown("lost"))
    await clock.run(.seconds(1199))
    _ = try await bench.ask().value.get()
    #expect(await bench.provider.requests.count == 2)
    weather.becomes(nil)
    await clock.run(.seconds(2))
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
  }

  @Test func anOutageIsFollowedWithBackoffAndEndsWithinOneInterval() async throws {
    let weather = Weather(lifetime: 3600)
    let bench = bench(weather)
    weather.becomes(.unknown("HTTP 502"))
    let start = clock.now
    while clock.now < start + .seconds(300) {
      let result = await bench.ask().value
      #expect(result.code == .temporarilyUnavailable)
      await clock.run(.seconds(1))
    }
    let times = await bench.provider.times
    let gaps = gaps(times)
    for (gap, expected) in zip(gaps, [1.0, 2, 4, 8, 16, 32, 64, 128]) {
      #expect((expected...expected * 1.2).contains(gap))
    }
    #expect(gaps.count == 8)
    weather.becomes(nil)
    await clock.run(.seconds(300))
    #expect(try await bench.ask().value.get().token == Secret("at-1"))
    #expect(await bench.provider.requests.count == times.count + 1)
  }

  @Test func aCallerMayTryAgainWhereNothingLeftButNotAtEachCall() async throws {
    let weather = Weather(lifetime: 3600)
    let bench = bench(weather)
    weather.becomes(.notSent("refused"))
    for _ in 0..<600 {
      #expect(await bench.ask().value.code == .temporarilyUnavailable)
      await clock.run(.milliseconds(100))
    }
    #expect(gaps(await bench.provider.times).allSatisfy { $0 >= 1 && $0 <= 2.1 })
  }

  @Test func aProviderThatSaysWhenIsObeyedByAllItsAccounts() async throws {
    let weather = Weather(lifetime: 3600)
    let bench = bench(
      weather, records: [Bench.record("work"), Bench.record("other", "rt-o")], accounts: ["work", "other"])
    weather.becomes(.throttled("HTTP 429", retryAfter: .seconds(600)))
    #expect(await bench.ask().value.code == .throttled)
    weather.becomes(nil)
    guard case .failure(let error) = await bench.ask("other").value else { return #expect(Bool(false)) }
    #expect(error.code == .throttled)
    #expect(error.retryAfter == 600)
    await clock.run(.seconds(599))
    #expect(await bench.provider.requests.count == 1)
    await clock.run(.seconds(2))
    #expect(try await bench.ask("other").value.get().minimumValidityMet)
  }

  @Test func aRefusedClientStopsAllItsSessionsUntilTheConfigurationIsReadAgain() async throws {
    let weather = Weather(lifetime: 3600)
    let bench = bench(
      weather, records: [Bench.record("work"), Bench.record("other", "rt-o")], accounts: ["work", "other"])
    weather.becomes(.rejected(.client))
    #expect(await bench.ask().value.code == .configError)
    weather.becomes(nil)
    #expect(await bench.ask("other").value.code == .configError)
    #expect(await bench.provider.requests.count == 1)
    await bench.reload(["work", "other"])
    _ = try await bench.ask().value.get()
    _ = try await bench.ask("other").value.get()
  }

  // MARK: Ahead of the end

  @Test(arguments: [true, false])
  func aSessionThatIsUsedAgainIsRefreshedAheadWhetherOrNotAnotherIsDueBefore(_ isAnother: Bool) async throws {
    let clock = FakeClock()
    let provider = FakeProvider(clock: clock) { _ in grant("at", seconds: 1000) }
    let records = [Bench.record(), Bench.record("other", "rt-other")]
    let bench = Bench(provider: provider, contents: StoreContents(records: records), clock: clock)
    func refreshes() async -> Int { await bench.refreshTokensSent.count { $0 == "rt-other" } }
    if isAnother { _ = try await bench.ask().value.get() }
    await clock.run(.seconds(100))
    _ = try await bench.ask("other").value.get()
    await clock.run(.seconds(2750))
    // Three times ahead, then nobody had asked for it for long.
    #expect(await refreshes() == 4)
    if isAnother { #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "work")) != nil) }
    #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "other")) != nil)
    await clock.run(.seconds(900))
    #expect(await refreshes() == 5)
  }

  @Test func aSessionInUseIsRefreshedAheadAndAnIdleOneIsNot() async throws {
    let weather = Weather(lifetime: 3600)
    let bench = bench(
      weather, records: [Bench.record("work"), Bench.record("other", "rt-o")], accounts: ["work", "other"])
    _ = try await bench.ask().value.get()
    for _ in 0..<20 {
      await clock.run(.seconds(1200))
      _ = try await bench.ask().value.get()
    }
    let gaps = gaps(await bench.provider.times)
    #expect(gaps.count == 7)
    #expect(gaps.allSatisfy { (3300...3360).contains($0) })
    // Three lifetimes later nobody has asked.
    await clock.run(.seconds(24 * 3600))
    let requests = await bench.provider.requests
    #expect((8 + 2...8 + 3).contains(requests.count))
    #expect(!requests.contains(.refresh(Secret("rt-o"), account: "other")))
  }

  @Test func momentsOfRefreshAreSpread() {
    let hour = (0...100).compactMap {
      RefreshSchedule.refreshAhead(of: .seconds(3600), refreshIn: nil, random: Double($0) / 100)
    }
    #expect(hour.min() == .seconds(3300))
    #expect(hour.max() == .seconds(3360))
    #expect(Set(hour).count == 101)
  }

  @Test(
    arguments: [
      (60, nil, 30), (5, nil, 2.5), (120, nil, 90), (600, nil, 540), (3600, nil, 3300), (86_400, nil, 86_100),
      (3600, 1800, 1800), (3600, 3600, 3300), (3600, 7200, 3300), (3600, 0, 3300), (1, nil, 0.5),
    ] as [(Int, Int?, Double)])
  func theMomentDependsOnTheLifetime(_ lifetime: Int, _ refreshIn: Int?, _ expected: Double) {
    let ahead = RefreshSchedule.refreshAhead(
      of: .seconds(lifetime), refreshIn: refreshIn.map { .seconds($0) }, random: 0)
    #expect(ahead == .seconds(expected))
    #expect(RefreshSchedule.refreshAhead(of: .zero, refreshIn: nil, random: 0) == nil)
  }

  @Test func aTokenWithoutLifetimeIsNotRefreshedByItself() async throws {
    let bench = bench(Weather(lifetime: 0))
    _ = try await bench.ask().value.get()
    await clock.run(.seconds(3600))
    #expect(await bench.provider.requests.count == 1)
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
  }

  // MARK: Many

  @Test func aThousandSessionsWakeUpWithoutABurst() async throws {
    let names = (0..<1000).map { "a\($0)" }
    let weather = Weather(lifetime: 3600)
    let bench = bench(
      weather, latency: .milliseconds(100), records: names.map { Bench.record($0, "rt-\($0)") }, accounts: names)
    await bench.coordinator.load()
    let first = await bench.ask(names, timeout: 3600)
    await clock.run(.seconds(60))
    for answer in first { _ = try await answer.value.get() }
    #expect(await bench.provider.mostInFlight == 4)
    let before = await bench.provider.requests.count
    #expect(before == 1000)
    // The machine sleeps: the clock jumps.
    clock.advance(.seconds(8 * 3600))
    let asked = await bench.ask("a999")
    await QueueExecutor.shared.settle()
    await clock.run(.milliseconds(450))
    // It has overtaken almost all.
    #expect(try await asked.value.get().minimumValidityMet)
    await clock.run(.seconds(60))
    #expect(await bench.provider.mostInFlight == 4)
    let spent = await bench.provider.requests
    #expect(spent.count == 2000)
    let tokens = spent.compactMap { if case .refresh(let token, _) = $0 { token.bytes } else { nil } }
    #expect(Set(tokens).count == spent.count)
  }

  @Test func aHostThatFailsIsProbedByOneAtATime() async throws {
    let names = (0..<50).map { "a\($0)" }
    let weather = Weather(lifetime: 3600)
    let bench = bench(
      weather, latency: .milliseconds(100), records: names.map { Bench.record($0, "rt-\($0)") }, accounts: names)
    await bench.coordinator.load()
    weather.becomes(.notSent("refused"))
    let answers = await bench.ask(names)
    await clock.run(.seconds(20))
    for answer in answers { #expect(await answer.value.code == .temporarilyUnavailable) }
    // Five failures, those in flight with the fifth, and then one now and then for all of them.
    #expect(await bench.provider.requests.count < 20)
    weather.becomes(nil)
    await clock.run(.seconds(60))
    let again = await bench.ask(names)
    await clock.run(.seconds(20))
    for answer in again { _ = try await answer.value.get() }
  }
}

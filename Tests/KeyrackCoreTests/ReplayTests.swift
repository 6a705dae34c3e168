import KeyrackCore
import KeyrackProtocol
import Testing

/// When a refresh token of unknown fate is sent again (REFRESH R6).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct ReplayTests {
  static func habits(_ rotation: ProviderHabits.Rotation, harmless: Bool = false) -> ProviderHabits {
    var habits = ProviderHabits()
    habits.rotation = rotation
    habits.isReplayHarmless = harmless
    return habits
  }

  @Test(
    "R6 (i) at once, once, where that does no harm",
    arguments: [
      (habits(.none), 2), (habits(.grace(.seconds(30))), 2), (habits(.rotate, harmless: true), 2),
      (habits(.grace(.zero)), 1), (habits(.rotate), 1),
    ])
  func atOnce(_ habits: ProviderHabits, _ requests: Int) async throws {
    let bench = Bench.scripted(Script([.unknown("reset")]), habits: habits)
    #expect(await bench.ask().value.code == .temporarilyUnavailable)
    #expect(await bench.provider.requests.count == requests)
    #expect(try await bench.status().state == .unknownOutcome)
  }

  @Test("R6 (i) the replay is shared and nobody notices") func replayed() async throws {
    let bench = Bench.scripted(Script([.unknown("reset"), grant("at", "rt-2")]), habits: Self.habits(.none))
    let callers = await bench.ask(Array(repeating: "work", count: 20))
    for caller in callers { #expect(try await caller.value.get().token == Secret("at")) }
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-1"])
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test("R6 (ii) held while the access token is good; status says until when") func held() async throws {
    let script = Script([grant("at-1", "rt-2", seconds: 600), .unknown("reset")])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    await bench.clock.run(.seconds(541))
    #expect(await bench.provider.requests.count == 2)
    let status = try await bench.status()
    #expect(status.state == .unknownOutcome)
    #expect(status.since == 1_000_540)
    #expect(status.nextAttemptAt == 1_000_600)
    #expect(status.lastError?.code == .temporarilyUnavailable)
    await bench.clock.run(.seconds(58))
    #expect(try await bench.ask().value.get().minimumValidityMet == false)
    #expect(await bench.provider.requests.count == 2)
    script.becomes(grant("at-2", "rt-3"))
    await bench.clock.run(.seconds(2))
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-2", "rt-2"])
    #expect(try await bench.status().state == .active)
  }

  @Test("R6 (ii) who was refused the access token has nothing left to protect") func rejectedToken() async throws {
    let bench = Bench.scripted(Script([grant("at-1", "rt-2"), .unknown("reset"), grant("at-2", "rt-3")]))
    _ = try await bench.ask().value.get()
    let refused = TokenOperation(account: "work", rejected: Secret("at-1"))
    #expect(await bench.ask(refused).value.code == .temporarilyUnavailable)
    #expect(try await bench.ask().value.get().token == Secret("at-1"))
    await bench.clock.run(.seconds(2))
    #expect(try await bench.ask(refused).value.get().token == Secret("at-2"))
  }

  @Test("R6 (iii) a long outage is waited out, and the session recovers by itself") func outage() async throws {
    let script = Script([.unknown("HTTP 502")])
    let bench = Bench.scripted(script)
    #expect(await bench.ask().value.code == .temporarilyUnavailable)
    await bench.clock.run(.seconds(500))
    #expect(await (8...9).contains(bench.provider.requests.count))
    script.becomes(grant("at", "rt-2"))
    await bench.clock.run(.seconds(300))
    #expect(try await bench.status().state == .active)
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test(
    "R6 a denial after a lost answer is a lost rotation, whatever came in between",
    arguments: [
      [], [TokenOutcome.throttled("HTTP 429", retryAfter: nil)], [.notSent("refused")], [.rejected(.client)],
      [.rejected(.request), .throttled("HTTP 503", retryAfter: .seconds(30)), .unknown("HTTP 502")],
      [.rejected(.conflict), .rejected(.conflict)], [.rejected(.target)],
    ])
  func lostRotation(_ between: [TokenOutcome]) async throws {
    let script = Script([.unknown("reset")] + between + [.rejected(.grant(.revoked))])
    let bench = Bench.scripted(script)
    var last: ReplyError?
    for _ in 0..<10 where last?.code != .loginRequired {
      let asked = await bench.ask()
      await bench.clock.run(.seconds(5))
      last = await asked.value.error
      await bench.clock.run(.seconds(3600))
    }
    #expect(last?.reason == "lost_rotation")
    let status = try await bench.status()
    #expect(status.state == .loginRequired)
    #expect(status.reason == "lost_rotation")
    #expect(status.nextAttemptAt == nil)
  }

  /// It does not say that the refresh token is dead.
  @Test("R19 a provider that wants the person is not a lost rotation") func policy() async throws {
    let bench = Bench.scripted(Script([.unknown("reset"), .rejected(.grant(.policy))]))
    _ = await bench.ask().value
    await bench.clock.run(.seconds(2))
    #expect(await bench.ask().value.error?.reason == "policy")
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

/// What each answer of a provider leads to (REFRESH R17 to R19, R25, R28 to R30).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct RefreshAnswerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answers: [TokenOutcome]
    let requests: Int
    let code: ErrorCode?
    var reason: String?
    let state: AccountState
    /// Seconds until the next attempt.
    var next: Int?
  }

  static let rows = [
    Row(
      testDescription: "R19 not sent", answers: [.notSent("refused")], requests: 1, code: .temporarilyUnavailable,
      state: .degraded, next: 1),
    Row(
      testDescription: "R19 lost", answers: [.unknown("reset")], requests: 1, code: .temporarilyUnavailable,
      state: .unknownOutcome, next: 1),
    Row(
      testDescription: "R18 429", answers: [.throttled("429", retryAfter: .seconds(90))], requests: 1,
      code: .throttled, state: .throttled, next: 90),
    Row(
      testDescription: "R18 429 without a time", answers: [.throttled("429", retryAfter: nil)], requests: 1,
      code: .throttled, state: .throttled, next: 1),
    Row(
      testDescription: "R19 invalid_grant", answers: [.rejected(.grant(.revoked))], requests: 1,
      code: .loginRequired, reason: "revoked", state: .loginRequired),
    Row(
      testDescription: "R19 interaction_required", answers: [.rejected(.grant(.policy))], requests: 1,
      code: .loginRequired, reason: "policy", state: .loginRequired),
    Row(
      testDescription: "R19 invalid_client", answers: [.rejected(.client)], requests: 1, code: .configError,
      state: .degraded, next: 3600),
    Row(
      testDescription: "R19 invalid_request, twice", answers: [.rejected(.conflict)], requests: 2,
      code: .providerError, state: .degraded, next: 600),
    Row(
      testDescription: "R19 invalid_request, once", answers: [.rejected(.conflict), grant("at", "rt-2")],
      requests: 2, code: nil, state: .active),
    Row(
      testDescription: "R19 400 without a word, twice", answers: [.rejected(.unexplained)], requests: 2,
      code: .loginRequired, reason: "revoked", state: .loginRequired),
    Row(
      testDescription: "R19 400 without a word, once", answers: [.rejected(.unexplained), grant("at", "rt-2")],
      requests: 2, code: nil, state: .active),
    Row(
      testDescription: "R19 unsupported_grant_type", answers: [.rejected(.request)], requests: 1,
      code: .providerError, state: .degraded, next: 600),
    Row(
      testDescription: "R19 an answer that makes no sense", answers: [.rejected(.answer)], requests: 1,
      code: .providerError, state: .degraded, next: 1),
    Row(
      testDescription: "R19 invalid_scope though none was sent", answers: [.rejected(.target)], requests: 1,
      code: .providerError, state: .degraded, next: 600),
  ]

  @Test(arguments: rows) func answer(_ row: Row) async throws {
    let bench = Bench.scripted(Script(row.answers))
    await bench.coordinator.load()
    let asked = await bench.ask()
    let start = bench.clock.wall
    // A repetition comes a second later.
    await bench.clock.run(row.requests > 1 ? .seconds(1) : .zero)
    let result = await asked.value
    #expect(result.code == row.code)
    #expect(result.error?.reason == row.reason)
    let status = try await bench.status()
    #expect(status.state == row.state)
    #expect(status.reason == row.reason)
    #expect(status.since == (row.state == .active ? start : bench.clock.wall))
    #expect(status.nextAttemptAt == row.next.map { bench.clock.wall + $0 })
    #expect(status.lastError?.code == row.code)
    #expect(await bench.provider.requests.count == row.requests)
    // R12, R29: whoever asks next gets the same, and nothing is sent.
    #expect(await bench.ask().value.code == row.code)
    #expect(await bench.provider.requests.count == row.requests)
    // Whatever was said, the refresh token is kept.
    #expect(await bench.store.contents.records.first?.refreshToken == Secret(row.code == nil ? "rt-2" : "rt-1"))
  }

  @Test("R19 a scope that is sent and refused is left out once") func omitsScope() async throws {
    var habits = ProviderHabits()
    habits.sendsScopeOnRefresh = true
    let bench = Bench.scripted(Script([.rejected(.target), grant("at", "rt-2")]), habits: habits)
    #expect(try await bench.ask().value.get().token == Secret("at"))
    #expect(await bench.provider.requests.count == 2)
  }

  @Test("R8 an answer without a refresh token, or with the same one, keeps it", arguments: [nil, "rt-1"])
  func keepsRefreshToken(_ token: String?) async throws {
    let bench = Bench.scripted(Script([grant("at", token)]))
    _ = try await bench.ask().value.get()
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-1"))
    #expect(await bench.store.contents.records.first?.generation == 0)
    #expect(await bench.store.steps.isEmpty)
  }

  @Test(
    "R28 a refresh token past its end has expired; one that has taken its place may last",
    arguments: [
      ([.rejected(.grant(.revoked))], "expired"),
      ([grant("at", "rt-2", seconds: 1), .rejected(.grant(.revoked))], "revoked"),
      ([grant("at", seconds: 1), .rejected(.grant(.revoked))], "expired"),
      ([.rejected(.grant(.policy))], "policy"),
    ] as [([TokenOutcome], String)])
  func expired(_ answers: [TokenOutcome], _ reason: String) async throws {
    var record = Bench.record()
    record.refreshExpiresAt = 1_000_010
    let bench = Bench.scripted(Script(answers), record: record)
    if answers.count > 1 { _ = try await bench.ask().value.get() }
    bench.clock.advance(.seconds(20))
    #expect(await bench.ask().value.error?.reason == reason)
  }

  @Test(
    "R30 the first success ends the trouble",
    arguments: [
      TokenOutcome.notSent("refused"), .unknown("HTTP 502"), .throttled("HTTP 429", retryAfter: .seconds(5)),
      .rejected(.answer), .rejected(.request),
    ])
  func recovers(_ trouble: TokenOutcome) async throws {
    let bench = Bench.scripted(Script([trouble, grant("at", "rt-2")]))
    _ = await bench.ask().value
    await bench.clock.run(.seconds(700))
    _ = try await bench.ask().value.get()
    let status = try await bench.status()
    #expect(status.state == .active)
    #expect(status.lastError == nil)
    #expect(status.nextAttemptAt == nil)
  }
}

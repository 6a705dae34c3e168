import KeyrackCore
import KeyrackProtocol
import Testing

/// What the keyring and the notes on disk have at each step of a refresh (REFRESH R1 to R5, R9).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct RefreshIntentTests {
  @Test("R1 the keyring has it before anybody else, and the intent ends in between") func order() async throws {
    let journal = Journal()
    let bench = Bench.scripted(Script([grant("at", "rt-2")]), journal: journal)
    _ = try await bench.ask().value.get()
    #expect(
      journal.lines == [
        "checked", "add intent", "intended", "sent", "answered", "save record", "stored", "remove intent", "cleared",
        "published",
      ])
  }

  @Test(
    "R2 a keyring that cannot be used keeps the refresh token from being spent",
    arguments: [
      (StoreError.locked, ErrorCode.keyringLocked), (.unavailable("no bus"), .keyringUnavailable),
      (.failed("read-only"), .keyringError),
    ])
  func preflight(_ error: StoreError, _ code: ErrorCode) async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2")]))
    await bench.coordinator.load()
    await bench.store.fail(error)
    #expect(await bench.ask().value.code == code)
    #expect(try await bench.status().state == .keyringLocked)
    #expect(await bench.provider.requests.isEmpty)
    #expect(await bench.intents.added.isEmpty)
    await bench.store.fail(nil)
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test("R3 what cannot be saved is served and saved later, and only then the intent ends") func unsaved() async throws
  {
    let bench = Bench.scripted(Script([grant("at", "rt-2")]))
    await bench.coordinator.load()
    await bench.store.fail(["save record"])
    #expect(try await bench.ask().value.get().token == Secret("at"))
    #expect(try await bench.status().state == .unsaved)
    #expect(try await bench.status().saved == false)
    await bench.clock.run(.seconds(10))
    #expect(await bench.intents.intents.map(\.generation) == [0])
    await bench.store.fail([])
    await bench.clock.run(.seconds(10))
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
    #expect(await bench.intents.intents.isEmpty)
    #expect(try await bench.status().state == .active)
    #expect(try await bench.status().saved == true)
  }

  @Test("R3 the refresh token of a session that is not saved is not spent before it is") func unsavedFirst()
    async throws
  {
    let bench = Bench.scripted(Script([grant("at-1", "rt-2", seconds: 1), grant("at-2", "rt-3")]))
    await bench.coordinator.load()
    await bench.store.fail(["save record"])
    _ = try await bench.ask().value.get()
    bench.clock.advance(.seconds(2))
    #expect(await bench.ask().value.code == .keyringError)
    #expect(await bench.refreshTokensSent == ["rt-1"])
    await bench.store.fail([])
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-2"])
  }

  /// `generation` of the intent that was found, where the record has 3.
  @Test("R5, R9 an intent at the start", arguments: [(3, true), (2, false), (4, false)])
  func interrupted(_ generation: Int, _ isOpen: Bool) async throws {
    var spent = Bench.record(generation: 3)
    spent.generation = generation
    var record = spent
    record.generation = 3
    let intent = RefreshIntent(of: spent, at: 999_500)
    let bench = Bench.scripted(Script([.rejected(.grant(.revoked))]), record: record, intents: [intent])
    await bench.coordinator.load()
    #expect(await bench.intents.intents == (isOpen ? [intent] : []))
    let status = try await bench.status()
    #expect(status.state == (isOpen ? .unknownOutcome : .active))
    #expect(status.since == (isOpen ? 999_500 : 1_000_000))
    #expect(await bench.ask().value.error?.reason == (isOpen ? "lost_rotation" : "revoked"))
  }

  @Test("R5 an intent of a session that nobody knows is removed") func unknownSession() async throws {
    let intent = RefreshIntent(of: Bench.record(), at: 999_500)
    let bench = Bench.scripted(Script([grant("at")]), intents: [intent])
    await bench.coordinator.load()
    #expect(await bench.intents.intents.isEmpty)
  }

  /// Else the next start would take its fate for unknown, and call a revoked session a lost one.
  @Test(
    "R5 no intent outlives a definite answer",
    arguments: [
      TokenOutcome.rejected(.grant(.revoked)), .rejected(.grant(.policy)), .rejected(.client), .rejected(.request),
      .rejected(.unexplained), .rejected(.conflict), .rejected(.target), .notSent("down"),
      .throttled("slow", retryAfter: nil), grant("at"),
    ])
  func definite(_ outcome: TokenOutcome) async throws {
    let bench = Bench.scripted(Script([outcome]))
    let asked = await bench.ask()
    await bench.clock.run(.seconds(5))
    _ = await asked.value
    #expect(await !bench.intents.added.isEmpty)
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test("R5 no intent is left where the keyring fails between two requests") func keyringFails() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.store.fail(["record"])
    await bench.provider.answerNext(.rejected(.grant(.revoked)))
    #expect(await asked.value.error?.reason == "revoked")
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test("R5 an open one stays", arguments: [TokenOutcome.notSent("down"), .throttled("slow", retryAfter: nil)])
  func open(_ next: TokenOutcome) async throws {
    let bench = Bench.scripted(Script([.unknown("lost"), next]))
    _ = await bench.ask().value
    await bench.clock.run(.seconds(2))
    _ = await bench.ask().value
    #expect(await bench.provider.requests.count == 2)
    #expect(await bench.intents.intents.count == 1)
  }
}

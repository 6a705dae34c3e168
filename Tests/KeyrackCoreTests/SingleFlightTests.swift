import KeyrackCore
import KeyrackProtocol
import Testing

/// Many callers, one refresh (REFRESH R10 to R14).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct SingleFlightTests {
  @Test("R10, R11, R12 of 500 callers some give up; one request, all answered") func crowds() async throws {
    var generator = SystemRandomNumberGenerator()
    for round in 0..<5 {
      let bench = Bench(contents: StoreContents(records: [Bench.record()]))
      var callers: [(timeout: Int, Bench.Answer)] = []
      for _ in 0..<500 {
        let timeout = Int.random(in: 1...20, using: &generator)
        callers.append((timeout, await bench.ask(timeout: timeout)))
      }
      await bench.provider.waitForRequests(1)
      await bench.clock.run(.milliseconds(10_500))
      await bench.provider.answerNext(round.isMultiple(of: 2) ? grant("at", "rt-2") : .notSent("refused"))
      await QueueExecutor.shared.settle()
      for (timeout, caller) in callers {
        switch await caller.value {
        case .success(let reply): #expect(round.isMultiple(of: 2) && timeout > 10 && reply.token == Secret("at"))
        case .failure(let error):
          #expect(error.code == (timeout <= 10 ? .timeout : .temporarilyUnavailable))
        }
      }
      #expect(await bench.provider.requests.count == 1)
    }
  }

  @Test("R10 a second burst after the first finds the token") func secondBurst() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2")]))
    for _ in 0..<2 {
      for caller in await bench.ask(Array(repeating: "work", count: 500)) { _ = try await caller.value.get() }
      await bench.clock.run(.milliseconds(1))
    }
    #expect(await bench.provider.requests.count == 1)
  }

  @Test("R11 a refresh that everybody has left is stored") func everybodyLeaves() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let callers = await bench.ask(["work", "work"], timeout: 1)
    await bench.provider.waitForRequests(1)
    await bench.clock.run(.seconds(2))
    for caller in callers { #expect(await caller.value.code == .timeout) }
    await bench.provider.answerNext(grant("at", "rt-2"))
    await QueueExecutor.shared.settle()
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
    #expect(try await bench.ask(timeout: 0).value.get().token == Secret("at"))
  }

  @Test("R12 after a failure nobody tries again before its time") func negative() async throws {
    let bench = Bench.scripted(Script([.unknown("HTTP 502")]))
    for _ in 0..<200 { #expect(await bench.ask().value.error?.retryAfter == 1) }
    #expect(await bench.provider.requests.count == 1)
  }

  @Test(
    "R13 a token that a server refused is refreshed once, by its digest too",
    arguments: [
      "at-1", "sha256:digest of at-1",
    ])
  func rejected(_ token: String) async throws {
    let bench = Bench.scripted(Script([grant("at-1", "rt-2"), grant("at-2", "rt-3")]))
    _ = try await bench.ask().value.get()
    let refused = TokenOperation(account: "work", rejected: Secret(token))
    for _ in 0..<3 { #expect(try await bench.ask(refused).value.get().token == Secret("at-2")) }
    #expect(await bench.provider.requests.count == 2)
  }

  @Test("R13 a provider that brings the same token again is not asked for ever") func sameAgain() async throws {
    let bench = Bench.scripted(Script([grant("at-1", "rt-2")]))
    _ = try await bench.ask().value.get()
    let refused = TokenOperation(account: "work", rejected: Secret("at-1"))
    for _ in 0..<3 { #expect(try await bench.ask(refused).value.get().token == Secret("at-1")) }
    #expect(await bench.provider.requests.count == 2)
  }

  @Test("R14 where a refresh kills the token, callers wait from the request on", arguments: [true, false])
  func rotationKills(_ kills: Bool) async throws {
    var habits = ProviderHabits()
    habits.rotationKillsAccessToken = kills
    let bench = Bench(contents: StoreContents(records: [Bench.record()]), habits: habits)
    let first = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-1", "rt-2"))
    _ = try await first.value.get()
    await bench.store.hold(["record"])
    let refused = await bench.ask(TokenOperation(account: "work", rejected: Secret("at-1")))
    await bench.store.wait(untilHeld: 1)
    // Nothing has been sent.
    #expect(try await bench.ask().value.get().token == Secret("at-1"))
    await bench.store.release()
    await bench.provider.waitForRequests(2)
    let during = await bench.ask()
    await QueueExecutor.shared.settle()
    await bench.provider.answerNext(grant("at-2", "rt-3"))
    #expect(try await during.value.get().token == Secret(kills ? "at-2" : "at-1"))
    #expect(try await refused.value.get().token == Secret("at-2"))
  }

  /// Then the first refresh has been published, and still has to forget its intent.
  @Test("R10 a refresh that is asked for at the end of another one is its own") func atTheEndOfAnother() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let first = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.intents.hold()
    await bench.provider.answerNext(grant("at"))
    await QueueExecutor.shared.settle()
    let mail = await bench.ask(TokenOperation(account: "work", resource: .init(["https://mail.example"])))
    await QueueExecutor.shared.settle()
    await bench.intents.release()
    #expect(try await first.value.get().token == Secret("at"))
    await bench.provider.waitForRequests(2)
    #expect(await bench.intents.intents.count == 1)
    let stop = Task { await bench.coordinator.stop() }
    #expect(await mail.value.code == .shuttingDown)
    await bench.provider.answerNext(grant("at-mail", "rt-2"))
    await stop.value
    // It was waited for.
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test("R10 its callers wait for it, not for the one before") func callersOfTheNext() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let first = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.intents.hold()
    await bench.provider.answerNext(grant("at"))
    await QueueExecutor.shared.settle()
    let mail = await bench.ask(TokenOperation(account: "work", resource: .init(["https://mail.example"])))
    await QueueExecutor.shared.settle()
    await bench.intents.release()
    _ = try await first.value.get()
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at-mail"))
    #expect(try await mail.value.get().token == Secret("at-mail"))
  }
}

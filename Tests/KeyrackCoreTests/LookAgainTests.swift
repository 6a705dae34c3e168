import KeyrackCore
import KeyrackProtocol
import Testing

/// A session that needs a sign-in asks the keyring from time to time whether another daemon has brought it back (REFRESH
/// R23, R29).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct LookAgainTests {
  let ours = Bench.record()
  let script = Script([.rejected(.grant(.revoked))])

  func newer(_ token: String) -> SessionRecord { Bench.record("work", token, session: ours.session, generation: 1) }

  /// One whose refresh token was refused.
  func quarantined() async throws -> Bench {
    let bench = Bench.scripted(script, record: ours)
    #expect(await bench.ask().value.error?.reason == "revoked")
    script.becomes(grant("at", "rt-3"))
    return bench
  }

  /// How often the keyring was read for it, nobody being asked to unlock it.
  func looks(_ bench: Bench) async -> Int { await bench.store.reads.count { $0 == .never } }

  @Test func aRefreshTokenThatAnotherDaemonHasStoredIsAdoptedAndSpent() async throws {
    let bench = try await quarantined()
    #expect(await bench.ask().value.error?.reason == "revoked")
    await bench.store.put(newer("rt-2"))
    await bench.clock.run(.seconds(60))
    #expect(try await bench.ask().value.get().token == Secret("at"))
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-2"])
    #expect(try await bench.status().state == .active)
    #expect(await bench.store.contents.records.map(\.generation) == [2])
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test func oneThatIsStoredJustAfterTheRefusalIsFoundByTheNextRequest() async throws {
    let bench = try await quarantined()
    await bench.store.put(newer("rt-2"))
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test func whoAsksIsServedByTheSessionThatAnotherDaemonHasBegun() async throws {
    let bench = try await quarantined()
    await bench.store.put(Bench.record("work", "rt-theirs"))
    #expect(try await bench.ask().value.get().token == Secret("at"))
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-theirs"])
    #expect(try await bench.status().state == .active)
  }

  @Test func soIsWhoAsksForASessionWithoutARefreshToken() async throws {
    var record = ours
    record.refreshToken = nil
    let bench = Bench.scripted(Script([grant("at", "rt-2")]), record: record)
    #expect(await bench.ask().value.error?.reason == "no_refresh_token")
    await bench.store.put(Bench.record("work", "rt-theirs"))
    await bench.clock.run(.seconds(60))
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test func fiveHundredRequestsReadTheKeyringOnceAMinuteAndAskNoProvider() async throws {
    let bench = try await quarantined()
    let before = await bench.store.reads.count
    for minute in 1...3 {
      let asked = await bench.ask(Array(repeating: "work", count: 500))
      for answer in asked { #expect(await answer.value.error?.reason == "revoked") }
      #expect(await bench.store.reads.count == before + minute)
      await bench.clock.run(.seconds(60))
    }
    #expect(await bench.store.reads.count == before + 3)
    #expect(await bench.refreshTokensSent == ["rt-1"])
    #expect(try await bench.status().state == .loginRequired)
  }

  @Test func whatIsAlreadyKnownToBeDeadIsNotSentAgain() async throws {
    let bench = try await quarantined()
    await bench.store.put(Bench.record("work", "rt-0", session: ours.session, generation: -1))
    #expect(await bench.ask().value.error?.reason == "revoked")
    #expect(await bench.refreshTokensSent == ["rt-1"])
  }

  @Test func aTokenThatIsStillGoodIsServedWithoutALook() async throws {
    let bench = Bench.scripted(Script([grant("at"), .rejected(.grant(.revoked))]), record: ours)
    _ = try await bench.ask().value.get()
    #expect(await bench.ask(TokenOperation(account: "work", rejected: Secret("at"))).value.code == .loginRequired)
    #expect(try await bench.ask().value.get().token == Secret("at"))
    #expect(try await bench.ask(TokenOperation(account: "work", minimumValidity: 9999)).value.get().minimumValidityMet)
    #expect(await looks(bench) == 0)
  }

  @Test func aSessionThatIsNotRememberedDoesNotLook() async throws {
    let script = Script([grant("at", "rt", seconds: 60), .rejected(.grant(.revoked))])
    let bench = Bench(provider: FakeProvider { _ in script.next() })
    _ = try await bench.signIn(remember: false).get()
    await bench.clock.run(.seconds(60))
    for _ in 0..<2 { #expect(await bench.ask().value.code == .loginRequired) }
    #expect(await looks(bench) == 0)
  }

  // MARK: The keyring is not well, or the session ends

  @Test(arguments: [StoreError.locked, .unavailable("gone"), .failed("broken")])
  func aKeyringOutOfReachChangesNothing(_ error: StoreError) async throws {
    let bench = try await quarantined()
    await bench.store.fail(error)
    #expect(await bench.ask().value.error?.reason == "revoked")
    #expect(await looks(bench) == 1)
    #expect(try await bench.status().state == .loginRequired)
    await bench.store.fail(nil)
    await bench.store.put(newer("rt-2"))
    await bench.clock.run(.seconds(60))
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test func aVanishedRecordIsNotWrittenAgain() async throws {
    let bench = try await quarantined()
    await bench.store.lose("work")
    #expect(await bench.ask().value.error?.reason == "revoked")
    await bench.clock.run(.seconds(600))
    #expect(await bench.store.contents.records.isEmpty)
  }

  @Test func aKeyringThatHangsHoldsARequestForASecondAndIsHeardAllTheSame() async throws {
    let bench = try await quarantined()
    await bench.store.put(newer("rt-2"))
    await bench.store.hold(["record"])
    let asked = await bench.ask()
    await bench.store.wait(untilHeld: 1)
    await bench.clock.run(.seconds(1))
    #expect(await asked.value.error?.reason == "revoked")
    #expect(await bench.ask().value.error?.reason == "revoked")
    #expect(await looks(bench) == 1)
    await bench.store.release()
    await QueueExecutor.shared.settle()
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test(arguments: [false, true]) func whatEndsDuringALookStaysEnded(byReload: Bool) async throws {
    let bench = try await quarantined()
    await bench.store.put(newer("rt-2"))
    await bench.store.hold(["record"])
    let asked = await bench.ask()
    await bench.store.wait(untilHeld: 1)
    let logout = Task { byReload ? nil : await bench.logOut() }
    if byReload { await bench.reload(["other"]) }
    #expect(await asked.value.code == .sessionEnded)
    await bench.store.release()
    _ = await logout.value
    await QueueExecutor.shared.settle()
    #expect(await bench.refreshTokensSent == ["rt-1"])
    #expect(await bench.coordinator.signedIn == 0)
    if !byReload { #expect(await bench.ask().value.error?.reason == "signed_out") }
  }

  @Test func aSignInDuringALookIsNotReplacedByWhatWasRead() async throws {
    let bench = try await quarantined()
    await bench.store.put(Bench.record("work", "rt-theirs"))
    await bench.store.hold(["record"])
    let asked = await bench.ask()
    await bench.store.wait(untilHeld: 1)
    script.becomes(grant("at-new", "rt-new"))
    _ = try await bench.signIn().get()
    #expect(await asked.value.code == .sessionEnded)
    await bench.store.release()
    await QueueExecutor.shared.settle()
    #expect(try await bench.ask().value.get().token == Secret("at-new"))
    #expect(await bench.store.contents.records.map(\.refreshToken) == [Secret("rt-new")])
  }
}

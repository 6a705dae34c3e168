import KeyrackCore
import KeyrackProtocol
import Testing

/// Others change the keyring, too (REFRESH R4, R20 to R23).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct TwoDaemonsTests {
  let ours = Bench.record()

  func newer(_ token: String) -> SessionRecord { Bench.record("work", token, session: ours.session, generation: 1) }

  @Test("R23 a newer refresh token of the session is adopted before one is spent") func adoptBefore() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-3")]), record: ours)
    await bench.coordinator.load()
    await bench.store.put(newer("rt-2"))
    _ = try await bench.ask().value.get()
    #expect(await bench.refreshTokensSent == ["rt-2"])
    #expect(await bench.store.contents.records.first?.generation == 2)
  }

  @Test("R19 a refused one is compared with the keyring, and a newer one is tried once") func adoptAfter() async throws
  {
    let bench = Bench(contents: StoreContents(records: [ours]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.store.put(newer("rt-2"))
    await bench.provider.answerNext(.rejected(.grant(.revoked)))
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(.rejected(.grant(.revoked)))
    #expect(await asked.value.error?.reason == "revoked")
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-2"])
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test("R4 what another daemon has stored meanwhile is kept, of two that count as many") func superseded() async throws
  {
    let bench = Bench(contents: StoreContents(records: [ours]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.store.put(newer("rt-theirs"))
    await bench.provider.answerNext(grant("at", "rt-ours"))
    #expect(try await asked.value.get().token == Secret("at"))
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-theirs"))
    #expect(try await bench.status().state == .active)
    #expect(await bench.intents.intents.isEmpty)
  }

  @Test("R4 a record of ours that is older is written over") func older() async throws {
    var record = ours
    record.generation = 7
    let bench = Bench(contents: StoreContents(records: [record]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.store.put(Bench.record("work", "rt-old", session: ours.session, generation: 5))
    await bench.provider.answerNext(grant("at", "rt-2"))
    _ = try await asked.value.get()
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
  }

  @Test("R23 a backup of the keyring that was put back is brought up to date") func restored() async throws {
    var record = ours
    record.generation = 7
    let bench = Bench.scripted(Script([grant("at")]), record: record)
    await bench.coordinator.load()
    await bench.store.put(Bench.record("work", "rt-old", session: ours.session, generation: 5))
    _ = try await bench.ask().value.get()
    #expect(await bench.refreshTokensSent == ["rt-1"])
    #expect(await bench.store.contents.records.map(\.generation) == [7])
    #expect(try await bench.status().saved == true)
  }

  @Test("R21, R4 a session that another daemon has begun meanwhile counts, and what ours got is revoked")
  func replaced() async throws {
    let bench = Bench(contents: StoreContents(records: [ours]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    let theirs = Bench.record("work", "rt-theirs")
    await bench.store.put(theirs)
    await bench.provider.answerNext(grant("at", "rt-2"))
    #expect(await asked.value.code == .sessionEnded)
    await bench.provider.waitForRequests(2)
    #expect(await bench.provider.requests.last == .revoke(refreshToken: Secret("rt-2"), accessToken: Secret("at")))
    #expect(await bench.store.contents.records == [theirs])
    await QueueExecutor.shared.settle()
    #expect(await bench.intents.intents.isEmpty)
    let next = await bench.ask()
    await bench.provider.waitForRequests(3)
    await bench.provider.answerNext(grant("at-theirs", "rt-theirs-2"))
    #expect(try await next.value.get().token == Secret("at-theirs"))
  }

  /// Its record is still in the keyring when the new one can be saved at last.
  @Test("R21 a sign-in that could not be saved at once does not give way to the session that it has replaced")
  func unsavedSignIn() async throws {
    let bench = Bench.scripted(Script([grant("at-new", "rt-new")]), record: ours)
    await bench.coordinator.load()
    await bench.store.fail(["save record"])
    let reply = try await bench.signIn().get()
    #expect(reply.warnings.map(\.code) == ["unsaved"])
    await bench.store.fail([])
    await bench.clock.run(.seconds(5))
    #expect(await bench.store.contents.records.map(\.session.description) == [reply.session])
    #expect(try await bench.ask().value.get().token == Secret("at-new"))
    #expect(try await bench.status().state == .active)
  }

  @Test("R22 whoever waited for the session before gets nothing of the next one") func waiters() async throws {
    let bench = Bench(contents: StoreContents(records: [ours]))
    let old = await bench.ask()
    await bench.provider.waitForRequests(1)
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at-old", "rt-old"))
    #expect(try await old.value.get().token == Secret("at-old"))
    await bench.provider.answerNext(grant("at-new", "rt-new"))
    _ = try await login.value.get()
    #expect(try await bench.ask().value.get().token == Secret("at-new"))
  }

  @Test("R20 after a logout the old refresh token is revoked where the answer is lost") func lostAfterLogout()
    async throws
  {
    let bench = Bench(contents: StoreContents(records: [ours]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    _ = await bench.logOut()
    #expect(await asked.value.code == .sessionEnded)
    await bench.provider.answerNext(.unknown("reset"))
    await bench.provider.waitForRequests(2)
    #expect(await bench.provider.requests.last == .revoke(refreshToken: Secret("rt-1"), accessToken: nil))
    await QueueExecutor.shared.settle()
    #expect(await bench.intents.intents.isEmpty)
    #expect(await bench.store.contents.records.isEmpty)
  }

  @Test("R23 a refresh token is not sent to a provider that it is not of") func providerChanges() async throws {
    let bench = Bench(contents: StoreContents(records: [ours]))
    await bench.coordinator.load()
    await bench.store.hold(["record"])
    let asked = await bench.ask()
    await bench.store.wait(untilHeld: 1)
    let other = Provider(
      name: "corp", kind: .oauth(.init(clientID: "keyrack", tokenEndpoint: "https://elsewhere.example/token")))
    await bench.reload(["work"], of: other)
    await bench.store.release()
    #expect(await asked.value.error?.reason == "config")
    #expect(await bench.provider.requests.isEmpty)
    #expect(await bench.intents.intents.isEmpty)
  }
}

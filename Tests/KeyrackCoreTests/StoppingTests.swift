import KeyrackCore
import KeyrackProtocol
import Testing

/// The end of the daemon, and a keyring in trouble.
@Suite(.timeLimit(.minutes(1))) struct StoppingTests {
  @Test func whoeverWaitsForTheKeyringIsToldAndNothingIsSent() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.store.hold(["all"])
    let waiting = await bench.ask()
    await bench.store.wait(untilHeld: 1)
    await bench.coordinator.stop()
    #expect(await waiting.value.code == .shuttingDown)
    await bench.store.release()
    await bench.coordinator.load()
    #expect(await bench.provider.requests.isEmpty)
  }

  @Test func noRefreshTokenIsSpentAnyMore() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.coordinator.load()
    await bench.store.hold(["record"])
    let waiting = await bench.ask()
    await bench.store.wait(untilHeld: 1)
    let stop = Task { await bench.coordinator.stop() }
    #expect(await waiting.value.code == .shuttingDown)
    await bench.store.release()
    await stop.value
    #expect(await bench.provider.requests.isEmpty)
  }

  @Test func aTokenInMemoryIsHandedOutUntilTheEnd() async throws {
    let bench = Bench(provider: FakeProvider { _ in grant("at", "rt") })
    _ = try await bench.signIn().get()
    await bench.coordinator.stop()
    let atOnce = await bench.coordinator.tokenAtOnce(TokenOperation(account: "work"))
    #expect(try atOnce?.get().token == Secret("at"))
    #expect(await bench.ask(TokenOperation(account: "work", rejected: Secret("at"))).value.code == .shuttingDown)
  }

  @Test func aSignInThatTheProviderHasGrantedIsStored() async throws {
    let bench = Bench(provider: FakeProvider { _ in grant("at", "rt") })
    await bench.store.hold(["save record"])
    let login = Task { await bench.signIn() }
    await bench.store.wait(untilHeld: 1)
    let stop = Task { await bench.coordinator.stop() }
    while await !bench.coordinator.isStopping { await Task.yield() }
    await bench.store.release()
    await stop.value
    #expect(try await login.value.get().warnings.isEmpty)
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt"))
  }

  @Test func aSignInThatWaitsForTheKeyringIsGivenUp() async throws {
    let bench = Bench()
    await bench.store.hold(["prepare"])
    let login = Task { await bench.signIn() }
    await bench.store.wait(untilHeld: 1)
    await bench.coordinator.stop()
    #expect(await login.value.code == .shuttingDown)
    await bench.store.release()
    #expect(await bench.provider.requests.isEmpty)
  }

  @Test func aRecordThatCannotBeUsedConcernsItsAccountOnly() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.coordinator.load()
    await bench.store.damage("work", isReplaceable: false)
    #expect(await bench.ask().value.code == .keyringError)
    let status = try await bench.coordinator.status(StatusOperation()).get()
    #expect(status.keyring.state == .ok)
    #expect(status.accounts.first { $0.account == "work" }?.lastError?.code == .keyringError)
    #expect(await bench.provider.requests.isEmpty)
  }
}

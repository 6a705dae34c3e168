import KeyrackCore
import KeyrackProtocol
import Testing

/// `purge`, where everything around the coordinator is faked.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct PurgeTests {
  private func purge(_ bench: Bench, confirm: Bool? = true) async -> Result<PurgeOperation.Reply, ReplyError> {
    await bench.coordinator.purge(PurgeOperation(confirm: confirm), by: .ordinary)
  }

  private func full(_ revocations: RevocationOutcome = .done) async -> Bench {
    let bench = Bench(
      provider: FakeProvider(revocations: revocations),
      contents: StoreContents(records: [Bench.record(), Bench.record("other", "rt-2"), Bench.record("gone", "rt-3")]))
    _ = await bench.coordinator.keepSecret(SecretOperation(provider: "corp", secret: Secret("s")))
    await bench.coordinator.load()
    return bench
  }

  @Test func everySessionIsRevokedAndNothingIsLeft() async throws {
    let bench = await full()
    #expect(try await purge(bench).get() == .init(removed: 4, revoked: 3, failed: 0))
    let told = await bench.provider.requests
    #expect(
      Set(["rt-1", "rt-2", "rt-3"].map { told.firstIndex(of: .revoke(refreshToken: Secret($0), accessToken: nil)) })
        == [0, 1, 2])
    #expect(await bench.store.itemCount == 0)
    #expect(await bench.store.steps.last == "remove all")
    #expect(await bench.notes.notes.isEmpty)
    let status = try await bench.coordinator.status(StatusOperation()).get()
    #expect(status.accounts.allSatisfy { $0.state == .signedOut })
    #expect(status.orphans.isEmpty && status.outbox.isEmpty)
    #expect(bench.log.events(.purged).count == 1)
    #expect(try await purge(bench).get() == .init(removed: 0, revoked: 0, failed: 0))
  }

  @Test func itHasToBeMeant() async {
    let bench = await full()
    for confirm in [nil, false] {
      let error = await purge(bench, confirm: confirm).error
      #expect(error?.code == .badRequest && error?.message.hasPrefix("confirm: has to be true") == true)
    }
    #expect(await bench.store.itemCount == 4)
  }

  @Test func withALockedKeyringNothingIsChanged() async throws {
    let bench = await full()
    await bench.store.fail(.locked)
    #expect(await purge(bench).code == .keyringLocked)
    await bench.store.fail(nil)
    #expect(await bench.store.itemCount == 4)
    #expect(await bench.provider.requests.isEmpty)
    #expect(try await bench.status().state != .signedOut)
  }

  @Test(arguments: [RevocationOutcome.failed("down"), .refused("no"), .unsupported])
  func whatCouldNotBeToldIsCountedAndNotTriedAgain(_ outcome: RevocationOutcome) async throws {
    let bench = await full(outcome)
    #expect(try await purge(bench).get() == .init(removed: 4, revoked: 0, failed: 3))
    #expect(await bench.store.itemCount == 0)
    let count = await bench.provider.requests.count
    await bench.clock.run(.seconds(3600))
    #expect(await bench.provider.requests.count == count)
    #expect(await bench.store.itemCount == 0)
  }

  @Test func whatAnEarlierLogoutOwesIsToldOnceMore() async throws {
    let bench = await full(.failed("down"))
    _ = await bench.logOut()
    await QueueExecutor.shared.settle()
    #expect(try await purge(bench).get() == .init(removed: 4, revoked: 0, failed: 3))
    #expect(await bench.provider.requests.count == 4)
  }

  @Test func anOrphanOfAProviderThatIsGoneIsCounted() async throws {
    let bench = await full()
    await bench.reload(["work"], of: Provider(name: "another", kind: Bench.corp.kind))
    let reply = try await purge(bench).get()
    #expect(reply.failed == 2 + 1 && reply.revoked == 0)
    #expect(await bench.store.itemCount == 0)
  }

  @Test func nobodySignsInMeanwhileAndWhoWasAboutToIsToldSo() async throws {
    let bench = await full()
    let before = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    await bench.store.hold(["remove all"])
    async let purged = purge(bench)
    #expect(await before.value.code == .loginCanceled)
    await bench.provider.answerNext(grant("at", "rt-new"))
    await bench.store.wait(untilHeld: 1)
    #expect(await bench.signIn().code == .busy)
    #expect(await purge(bench).code == .busy)
    #expect(await bench.coordinator.keepSecret(SecretOperation(provider: "corp", secret: Secret("s"))).code == .busy)
    await bench.store.release()
    #expect(try await purged.get().failed == 0)
    let late = FakeProvider.Request.revoke(refreshToken: Secret("rt-new"), accessToken: Secret("at"))
    #expect(await bench.provider.requests.contains(late))
    #expect(await bench.store.itemCount == 0)
  }

  @Test func aFailureOnTheWayIsToldAndTheNextTimeFinishesIt() async throws {
    let bench = await full()
    await bench.store.fail(["remove all"])
    let error = await purge(bench).error
    #expect(error?.code == .keyringError && error?.message.contains("every session has ended") == true)
    await bench.store.fail([])
    #expect(try await purge(bench).get() == .init(removed: 1, revoked: 0, failed: 0))
  }

  @Test func aSandboxedProgramIsRefused() async {
    let request = Request.Call.purge(PurgeOperation(confirm: true))
    #expect(await Bench().coordinator.refusal(of: request, by: AccessTests.sandboxed)?.code == .forbidden)
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

/// What is left of a session after its end, and of an account that the configuration does not name.
@Suite(.timeLimit(.minutes(1))) struct SessionEndTests {
  @Test func aRefreshTokenInAFailedAnswerAfterLogoutIsRevoked() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    #expect(try await bench.logOut().get().local == .done)
    #expect(await waiting.value.code == .sessionEnded)
    await bench.provider.answerNext(.rejected(.answer, "rt-late"))
    await bench.provider.waitForRequests(2)
    #expect(await bench.provider.requests.last == .revoke(refreshToken: Secret("rt-late"), accessToken: nil))
  }

  @Test(arguments: [false, true]) func aRefreshTokenOfAFailedSignInIsRevoked(canceled: Bool) async throws {
    let bench = Bench()
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    if canceled { _ = await bench.coordinator.cancel(CancelOperation(account: "work")) }
    await bench.provider.answerNext(.rejected(.answer, "rt"))
    #expect(await login.value.code == (canceled ? .loginCanceled : .providerError))
    await bench.provider.waitForRequests(2)
    #expect(await bench.provider.requests.last == .revoke(refreshToken: Secret("rt"), accessToken: nil))
  }

  /// The keyring comes back: what was owed is removed, and what was unsaved is saved, at the same time.
  @Test func whatIsStillToBeRemovedNeverTakesTheNextSessionAlong() async throws {
    let bench = Bench(
      provider: FakeProvider(revocations: .failed("down")), contents: StoreContents(records: [Bench.record()]))
    await bench.coordinator.load()
    await bench.store.fail(["save revocation"])
    #expect(try await bench.logOut().get().local == .pending)
    await bench.store.fail(["save revocation", "save record"])
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at", "rt-new"))
    #expect(try await login.value.get().warnings.map(\.code) == ["unsaved"])
    await bench.store.fail([])
    await bench.store.hold(["save revocation"])
    await bench.store.wait(untilHeld: 1, passing: bench.clock)
    let before = await bench.store.steps.count
    for _ in 0..<200 {
      bench.clock.advance(.seconds(1))
      await Task.yield()
    }
    #expect(await bench.store.steps.count == before)
    await bench.store.release()
    await bench.store.wait(for: "save record", passing: bench.clock)
    #expect(await bench.store.contents.records.map(\.refreshToken) == [Secret("rt-new")])
  }

  @Test func aSecondLogoutDoesNotCallDoneWhatIsPending() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.coordinator.load()
    await bench.store.fail(["save revocation"])
    async let first = bench.logOut()
    async let second = bench.logOut()
    #expect(try await (first.get().local, second.get().local) == (.pending, .pending))
  }

  @Test func logoutsWhileTheKeyringIsLockedLeaveOneNote() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.store.fail(.locked)
    for _ in 0..<5 {
      #expect(try await bench.logOut().get().local == .pending)
      bench.clock.advance(.seconds(1))
    }
    #expect(await bench.notes.notes.count == 1)
  }

  // MARK: Accounts that are not configured

  @Test func anOrphanIsFoundByItsLogoutBeforeTheKeyringWasRead() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record("gone")]))
    #expect(await bench.logOut("never").code == .unknownAccount)
    let other = Bench(contents: StoreContents(records: [Bench.record("gone")]))
    #expect(try await other.logOut("gone").get() == .init(account: "gone", local: .done, remote: .pending))
    #expect(await other.store.contents.records.isEmpty)
    #expect(await other.logOut("gone").code == .unknownAccount)
  }

  @Test func whetherThereIsAnOrphanIsNotSaidWhileTheKeyringIsLocked() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record("gone")]))
    await bench.store.fail(.locked)
    #expect(await bench.logOut("gone").code == .keyringLocked)
  }

  @Test func anAccountThatComesBackDuringItsRefreshHasTheNewToken() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.reload([])
    #expect(await waiting.value.code == .sessionEnded)
    await bench.reload(["work"])
    let joining = await bench.ask()
    await bench.provider.answerNext(grant("at", "rt-2"))
    #expect(try await joining.value.get().token == Secret("at"))
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
    #expect(await bench.provider.requests.count == 1)
  }

  @Test func aSessionInMemoryAloneIsRevokedWithItsAccount() async throws {
    let bench = Bench(provider: FakeProvider { _ in grant("at", "rt") })
    _ = await bench.signIn(remember: false)
    await bench.reload([])
    await bench.provider.waitForRequests(2)
    #expect(await bench.provider.requests.last == .revoke(refreshToken: Secret("rt"), accessToken: Secret("at")))
    #expect(try await bench.coordinator.status(StatusOperation()).get().orphans == [])
  }
}

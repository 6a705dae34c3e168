import KeyrackProtocol
import Testing

@testable import KeyrackCore

/// What `check` finds, where everything around the coordinator is faked.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct CheckTests {
  private func signedIn() async -> Bench {
    let bench = Bench(
      provider: FakeProvider(clock: FakeClock()) { _ in grant("at", "rt") },
      contents: StoreContents(records: [Bench.record()]), accounts: ["work"])
    _ = await bench.coordinator.token(TokenOperation(account: "work"))
    return bench
  }

  private func checks(_ bench: Bench, by caller: Caller = .ordinary) async throws -> [Check] {
    try await bench.coordinator.check(by: caller).get().checks
  }

  @Test func whereNothingIsWrongEverythingIsOk() async throws {
    let bench = await signedIn()
    bench.provider.signIns.change { $0.finding = ProviderFinding(.success("answers"), date: bench.clock.wall) }
    let checks = try await checks(bench)
    #expect(checks.allSatisfy { $0.result == .ok && $0.hint == nil })
    #expect(
      checks.map(\.name) == ["configuration", "session bus", "keyring", "provider corp", "clock", "account work"])
    #expect(await bench.store.steps == ["save record"])
  }

  @Test func whatHangsIsSaidAtItsDeadlineAndDelaysNothingElse() async throws {
    let clock = FakeClock()
    let bench = Bench(provider: FakeProvider(clock: clock), clock: clock, accounts: ["work"])
    bench.provider.signIns.change { $0.hangs = true }
    await bench.store.hold(["probe"])
    async let found = checks(bench)
    await QueueExecutor.shared.settle()
    await clock.run(.seconds(25))
    let checks = try await found
    #expect(checks.filter { $0.result == .fail }.map(\.name) == ["keyring", "provider corp"])
    #expect(checks.first?.result == .ok)
    await bench.store.release()
  }

  // MARK: The keyring

  @Test func aLockedKeyringIsToBeUnlockedAndOneThatFailsToBeStartedAnew() async throws {
    let bench = Bench(accounts: [])
    await bench.store.fail(.locked)
    let locked = try await checks(bench)
    #expect(locked.map(\.result) == [.ok, .ok, .fail])
    #expect(locked.last?.message == "locked, or without a default collection")
    await bench.store.fail(nil)
    await bench.store.fail(["probe"])
    let failing = Check.fail("keyring", "told to fail", hint: StoreError.failureHint)
    #expect(try await checks(bench).last == failing)
  }

  @Test func withoutTheBusTheKeyringIsNotTried() async throws {
    let bench = Bench(accounts: [])
    await bench.store.fail(.unavailable("g-io-error-quark 0"))
    let checks = try await checks(bench)
    #expect(checks.map(\.name) == ["configuration", "session bus", "keyring"])
    #expect(checks[1].message.contains("g-io-error-quark 0"))
    #expect(checks[2].hint == "see session bus")
  }

  // MARK: The configuration

  @Test func aChangedFileAndABrokenOneAreTold() async throws {
    let bench = Bench(accounts: ["work"])
    bench.source.write(["work", "new"])
    #expect(
      try await checks(bench)[0]
        == .warn(
          "configuration", "it has changed since it was read", hint: "keyrack reload"))
    bench.source.damage(ConfigurationError("/c/keyrack.conf:3: [account work] x: no such key", hint: "it has y"))
    #expect(
      try await checks(bench)[0]
        == .fail(
          "configuration", "/c/keyrack.conf:3: [account work] x: no such key; the one before stays in force",
          hint: "it has y"))
  }

  // MARK: Who sees what

  @Test func aProgramSeesOnlyTheAccountsThatItMayUse() async throws {
    let bench = Bench()
    bench.source.write(["work", "other"], policies: ["other": AccessTests.onlyGit, "work": AccessTests.onlyGit])
    _ = await bench.coordinator.reload()
    #expect(try await checks(bench).map(\.name) == ["configuration", "session bus", "keyring"])
    #expect(bench.provider.signIns.asked.isEmpty)
    #expect(try await checks(bench, by: AccessTests.git).map(\.name).suffix(2) == ["account other", "account work"])
  }

  @Test func whereNobodyCanBeAskedWhoHasToBeThatIsAFailure() async throws {
    let bench = Bench(accounts: ["work"])
    bench.prompt.become(.impossible(.noAskpass, "there is no askpass program to ask the person with"))
    #expect(try await !checks(bench).contains { $0.name == "confirmation" })
    bench.source.write(["work", "other"], policies: ["work": AccessPolicy(confirms: true)])
    _ = await bench.coordinator.reload()
    #expect(
      try await checks(bench).first { $0.name == "confirmation" }
        == .fail(
          "confirmation", "there is no askpass program to ask the person with, for work",
          hint: "install ssh-askpass, or set SSH_ASKPASS for keyrackd"))
  }

  @Test func aSandboxedProgramIsRefused() async {
    let bench = Bench()
    let refusal = await bench.coordinator.refusal(of: .check(CheckOperation()), by: AccessTests.sandboxed)
    #expect(refusal?.reason == "sandboxed")
  }

  // MARK: Words

  static let urls = [
    ("no url here?", "no url here?"), ("see https://a.test/x?code=1 now", "see https://a.test/x now"),
    ("https://a.test/#access_token=1", "https://a.test/"), ("https://a.test/x", "https://a.test/x"),
  ]

  @Test(arguments: urls) func noURLKeepsItsQuery(text: String, left: String) { #expect(text.withoutQueries == left) }

  static let clocks: [(Int, Check.Outcome, String)] = [
    (0, .ok, "within 1 s of corp"), (60, .ok, "within 60 s of corp"), (61, .warn, "61 s ahead of corp"),
    (-300, .warn, "5 min behind corp"), (86_400, .warn, "24 h ahead of corp"),
    (864_000, .warn, "10 days ahead of corp"),
  ]

  @Test(arguments: clocks) func theClockMayBeOffByAMinute(lead: Int, result: Check.Outcome, message: String)
    async throws
  {
    let bench = Bench(accounts: ["work", "other"])
    bench.provider.signIns.change { $0.finding = ProviderFinding(.success("answers"), date: bench.clock.wall - lead) }
    let clock = try #require(try await checks(bench).first { $0.name == "clock" })
    #expect(clock.result == result && clock.message == message)
  }

  @Test func withoutATimeFromAProviderThereIsNoWordOfTheClock() async throws {
    #expect(try await !checks(Bench()).contains { $0.name == "clock" })
  }

  static let states: [(AccountState, Check.Outcome)] = [
    (.signingIn, .warn), (.signedOut, .warn), (.loginRequired, .warn), (.keyringLocked, .fail),
    (.unknownOutcome, .warn), (.throttled, .warn), (.degraded, .warn), (.unsaved, .warn), (.refreshing, .ok),
    (.active, .ok),
  ]

  @Test(arguments: states) func whatHasToBeDoneIsSaidOfEachState(state: AccountState, result: Check.Outcome) {
    let login = PendingLogin(
      method: .device, url: "https://a.test/a?state=s3", verificationURI: "https://a.test/d", userCode: "ABCD",
      expiresAt: 5)
    let status = AccountStatus(
      account: "work", provider: "corp", state: state, since: 0, subject: "alice", remembered: true, pendingLogin: login
    )
    let check = status.check(wall: 0, keyringFails: true)
    #expect(check.result == result && (check.hint == nil) == (result == .ok))
    for secret in ["alice", "s3", "ABCD"] { #expect(!"\(check)".contains(secret)) }
  }

  private func status(_ state: AccountState, _ error: ReplyError?) -> AccountStatus {
    AccountStatus(
      account: "work", provider: "corp", state: state, since: 0, remembered: true, nextAttemptAt: 7,
      lastError: error.map { StatusError($0, at: 0) })
  }

  @Test func whatDoesNotPassByItselfIsAFailureWithItsOwnHint() {
    let refused = status(.degraded, .clientRefused("work", "HTTP 401 invalid_client")).check(
      wall: 0, keyringFails: true)
    #expect(
      refused
        == .fail(
          "account work", "cannot be refreshed: the provider refuses this client (HTTP 401 invalid_client)",
          hint: "check client_id of its provider in keyrack.conf, then keyrack reload"))
    let advised = status(.loginRequired, .loginRequired("work", .revoked, hint: "ask Ann")).check(
      wall: 0, keyringFails: true)
    #expect(advised.result == .fail && advised.hint == "keyrack login work; ask Ann")
    let down = status(.degraded, .temporarilyUnavailable("work", "HTTP 500")).check(wall: 0, keyringFails: true)
    #expect(down == .warn("account work", "cannot be refreshed now: HTTP 500", hint: down.hint))
    #expect(down.hint == "nothing has to be done: it is tried again in 7 s")
  }

  @Test(arguments: [(AccountState.keyringLocked, " in 7 s"), (.unsaved, " in 7 s")])
  func whatWaitsForAKeyringThatIsInOrderIsTriedAgain(state: AccountState, wait: String) {
    #expect(status(state, nil).check(wall: 0, keyringFails: true).hint == "see keyring")
    #expect(
      status(state, nil).check(wall: 0, keyringFails: false).hint == "nothing has to be done: it is tried again\(wait)")
  }

  @Test func aRecordThatCannotBeUsedHasTheHintThatATokenHas() {
    let newer = UnusableRecord("from a newer version", isReplaceable: false).error("work")
    let check = status(.signedOut, newer).check(wall: 0, keyringFails: true)
    #expect(check.result == .fail && check.hint == "upgrade Keyrack; keyrack logout work removes it")
  }

  @Test func whyAnAnswerWasLostIsSaid() {
    let lost = status(.unknownOutcome, .temporarilyUnavailable("work", "HTTP 502")).check(wall: 0, keyringFails: true)
    #expect(lost.message == "the answer to its last refresh was lost (HTTP 502)")
    #expect(
      status(.unknownOutcome, nil).check(wall: 0, keyringFails: true).message
        == "the answer to its last refresh was lost")
  }

  @Test func whatIsLeftInTheKeyringAndOwedIsTold() async throws {
    let bench = Bench(
      provider: FakeProvider(revocations: .failed("down")),
      contents: StoreContents(records: [Bench.record(), Bench.record("gone")]), accounts: ["work"])
    await bench.coordinator.load()
    _ = await bench.logOut()
    await QueueExecutor.shared.settle()
    let last = try await checks(bench).suffix(2)
    #expect(last.map(\.name) == ["account gone", "sign-out of work"])
    #expect(last.first?.hint == "put it back, or keyrack logout gone")
    #expect(last.last?.message == "the provider is still to be told: down")
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

@Suite(.timeLimit(.minutes(1))) struct TokenCoordinatorTests {
  @Test func twoHundredCallersShareOneRefresh() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let callers = await bench.ask(Array(repeating: "work", count: 200))
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-1", "rt-2"))
    for caller in callers { #expect(try await caller.value.get().token == Secret("at-1")) }
    #expect(await bench.provider.requests == [.refresh(Secret("rt-1"), account: "work")])
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
  }

  @Test func aRefreshInFlightAtLogoutIsStoredNowhereAndOnlyRevoked() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    let logout = try await bench.coordinator.logout(LogoutOperation(account: "work")).get()
    #expect(logout == .init(account: "work", local: .done, remote: .pending))
    #expect(await waiting.value.code == .sessionEnded)
    #expect(await bench.store.contents.records.isEmpty)
    await bench.provider.answerNext(grant("at-late", "rt-late"))
    await bench.provider.waitForRequests(2)
    #expect(
      await bench.provider.requests.last == .revoke(refreshToken: Secret("rt-late"), accessToken: Secret("at-late")))
    #expect(await bench.store.steps.starts(with: ["save revocation", "remove record"]))
    #expect(await bench.ask().value.code == .loginRequired)
    #expect(await bench.store.contents.records.isEmpty)
  }

  @Test func anOldAnswerTouchesNothingOfANewSession() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    _ = await bench.coordinator.logout(LogoutOperation(account: "work"))
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at-old", "rt-old"))
    await bench.provider.answerNext(grant("at-new", "rt-new"))
    let session = try await login.value.get().session
    #expect(await waiting.value.code == .sessionEnded)
    await bench.provider.waitForRequests(3)
    #expect(
      await bench.provider.requests.last == .revoke(refreshToken: Secret("rt-old"), accessToken: Secret("at-old")))
    #expect(try await bench.ask().value.get().token == Secret("at-new"))
    let record = try #require(await bench.store.contents.records.first)
    #expect(record.refreshToken == Secret("rt-new"))
    #expect(record.session.description == session)
  }

  @Test func aSecondSignInIsToldThatOneIsUnderWay() async throws {
    let bench = Bench()
    let first = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    #expect(await bench.signIn().code == .loginInProgress)
    await bench.provider.answerNext(grant("at", "rt"))
    #expect(try await first.value.get().remembered)
    #expect(await bench.provider.requests.count == 1)
  }

  @Test func aCanceledSignInIsAnsweredAtOnceAndItsGrantRevoked() async throws {
    let bench = Bench()
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    #expect(try await bench.coordinator.cancel(CancelOperation(account: "work")).get().canceled)
    #expect(await login.value.code == .loginCanceled)
    await bench.provider.answerNext(grant("at", "rt"))
    await bench.provider.waitForRequests(2)
    #expect(await bench.provider.requests.last == .revoke(refreshToken: Secret("rt"), accessToken: Secret("at")))
    #expect(await bench.ask().value.code == .loginRequired)
    #expect(await bench.store.contents.records.isEmpty)
  }

  @Test func aSessionThatIsNotRememberedReplacesWhatWasStored() async throws {
    let provider = FakeProvider { _ in grant("at", "rt") }
    let bench = Bench(provider: provider, contents: StoreContents(records: [Bench.record()]))
    await bench.coordinator.start()
    #expect(try await bench.signIn(remember: false).get().remembered == false)
    #expect(await bench.store.contents == StoreContents())
    #expect(await bench.notes.notes.isEmpty)
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test func logoutOfALockedKeyringIsRememberedAndFinishedLater() async throws {
    let session = SessionID()
    let bench = Bench(contents: StoreContents(records: [Bench.record(session: session)]))
    await bench.coordinator.load()
    await bench.store.fail(.locked)
    let logout = try await bench.coordinator.logout(LogoutOperation(account: "work")).get()
    #expect(logout.local == .pending)
    #expect(await bench.notes.notes.map(\.session) == [session])
    // The next start honours the note.
    let next = Bench(
      contents: StoreContents(records: [Bench.record(session: session)]), notes: await bench.notes.notes)
    await next.coordinator.load()
    #expect(await next.store.contents.records.isEmpty)
    #expect(await next.notes.notes.isEmpty)
    await next.provider.waitForRequests(1)
    #expect(await next.provider.requests.first == .revoke(refreshToken: Secret("rt-1"), accessToken: nil))
  }

  @Test func logoutBeforeTheKeyringCouldBeReadEndsWhatItHolds() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.store.fail(.locked)
    let logout = try await bench.coordinator.logout(LogoutOperation(account: "work")).get()
    #expect(logout == .init(account: "work", local: .pending, remote: .pending))
    await bench.store.fail(nil)
    #expect(await bench.ask().value.code == .loginRequired)
    #expect(await bench.store.contents.records.isEmpty)
  }

  @Test func aStartFinishesALogoutThatHadReachedTheOutbox() async throws {
    let record = Bench.record()
    let owed = Revocation(
      session: record.session, account: "work", provider: "corp", audience: Bench.corp.audience,
      refreshToken: Secret("rt-1"), accessToken: nil, since: 999_500)
    let bench = Bench(contents: StoreContents(records: [record], revocations: [owed]))
    await bench.coordinator.load()
    #expect(await bench.store.contents.records.isEmpty)
    await bench.provider.waitForRequests(1)
    #expect(await bench.ask().value.code == .loginRequired)
  }

  @Test func noRequestIsMadeBeforeTheTimeThatTheProviderNamed() async throws {
    let provider = FakeProvider { _ in .throttled("slow down", retryAfter: .seconds(30)) }
    let bench = Bench(provider: provider)
    for _ in 0..<3 {
      guard case .failure(let error) = await bench.signIn() else { return #expect(Bool(false)) }
      #expect(error.code == .throttled)
      #expect(error.retryAfter == 30)
    }
    #expect(await provider.requests.count == 1)
    bench.clock.advance(.seconds(30))
    #expect(await bench.signIn().code == .throttled)
    #expect(await provider.requests.count == 2)
  }

  @Test func aWaiterHasItsOwnDeadlineAndEndsNothing() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let impatient = await bench.ask(timeout: 1)
    await bench.provider.waitForRequests(1)
    bench.clock.advance(.seconds(2))
    #expect(await impatient.value.code == .timeout)
    let patient = await bench.ask()
    await bench.provider.answerNext(grant("at", "rt-2"))
    #expect(try await patient.value.get().token == Secret("at"))
    #expect(await bench.provider.requests.count == 1)
  }

  @Test func noRefreshTokenIsSpentWhileTheKeyringIsLocked() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.coordinator.load()
    await bench.store.fail(.locked)
    #expect(await bench.ask().value.code == .keyringLocked)
    #expect(await bench.provider.requests.isEmpty)
    await bench.store.fail(nil)
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at", "rt-2"))
    #expect(try await waiting.value.get().token == Secret("at"))
  }

  @Test func aTokenThatCouldNotBeSavedIsServedAndSavedLater() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.store.fail(.failed("disk full"))
    await bench.provider.answerNext(grant("at", "rt-2"))
    #expect(try await waiting.value.get().token == Secret("at"))
    let status = try await bench.coordinator.status(StatusOperation(account: "work")).get()
    #expect(status.accounts.first?.state == .unsaved)
    #expect(status.keyring.state == .error)
    await bench.store.fail(nil)
    await bench.coordinator.stop()
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
    #expect(!bench.log.events(.keyringFailed).contains { $0.reason == "lost" })
  }

  @Test func whatCannotBeSavedAtTheEndIsToldWithWhatToDo() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.store.fail(.failed("disk full"))
    await bench.provider.answerNext(grant("at", "rt-2"))
    _ = try await waiting.value.get()
    await bench.coordinator.stop()
    let lost = try #require(bench.log.events(.keyringFailed).last)
    #expect(lost.reason == "lost" && lost.account == "work" && lost.message.hasSuffix("keyrack login work"))
  }

  @Test func stoppingTellsWhoeverWaits() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    let stop = Task { await bench.coordinator.stop() }
    #expect(await waiting.value.code == .shuttingDown)
    await bench.provider.answerNext(grant("at", "rt-2"))
    await stop.value
    // The refresh that was sent was stored before the end.
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-2"))
    #expect(await bench.ask().value.code == .shuttingDown)
  }

  @Test func anyNumberOfSecondsMayBeAskedForButANegativeOne() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let waiting = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at", "rt-2"))
    _ = try await waiting.value.get()
    let long = TokenOperation(account: "work", minimumValidity: .max, timeout: .max)
    #expect(try await bench.coordinator.token(long).get().minimumValidityMet)
    for short in [TokenOperation(account: "work", minimumValidity: -1), TokenOperation(account: "work", timeout: -1)] {
      #expect(await bench.coordinator.token(short).code == .badRequest)
    }
  }

  @Test func accountsAreNamedByBytesAndByIssuer() async throws {
    let bench = Bench(accounts: ["K"])
    #expect(await bench.coordinator.token(TokenOperation(account: "\u{212A}")).code == .unknownAccount)
    #expect(await bench.coordinator.token(TokenOperation(issuer: "https://sso.example/")).code == .unknownAccount)
    #expect(await bench.coordinator.token(TokenOperation(issuer: "https://sso.example")).code == .loginRequired)
    let two = Bench()
    #expect(await two.coordinator.token(TokenOperation(issuer: "https://sso.example")).code == .ambiguousAccount)
  }

  /// Work arrives at 2 per 600 ms and takes as long as it takes; sessions end at random moments meanwhile. Whatever an
  /// answer was for, what is delivered and stored is of the session that is there.
  @Test func noResultOfAnEndedSessionIsEverDeliveredOrStored() async throws {
    let provider = FakeProvider { request in
      switch request {
      case .refresh(let token, _):
        // Tokens carry the name of the chain that they are of.
        grant("at of \(text(token))", text(token), seconds: 1)
      case .signIn(let name, _): grant("at of \(name)", name, seconds: 1)
      case .revoke: .notSent("")
      }
    }
    let bench = Bench(provider: provider)
    await bench.coordinator.start()
    for round in 0..<200 {
      let login = LoginOperation(account: "work", username: "chain-\(round)", password: Secret("x"))
      guard case .success = await bench.coordinator.login(login) else { return #expect(Bool(false)) }
      bench.clock.advance(.milliseconds(600))
      let work = await bench.ask(["work", "work"])
      if round.isMultiple(of: 2) { await Task.yield() }
      _ = await bench.coordinator.logout(LogoutOperation(account: "work"))
      for task in work {
        switch await task.value {
        case .success(let reply): #expect(text(reply.token) == "at of chain-\(round)")
        case .failure(let error): #expect([.sessionEnded, .loginRequired].contains(error.code))
        }
      }
      #expect(await bench.store.contents.records.isEmpty)
    }
  }
}

func text(_ secret: Secret) -> String { String(decoding: secret.bytes, as: UTF8.self) }

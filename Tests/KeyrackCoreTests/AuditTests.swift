import KeyrackCore
import KeyrackProtocol
import Testing

/// Which events there are of what happens, and what they say.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct AuditTests {
  private static let mail = Caller("/usr/bin/mbsync", unit: "mail.service")
  private static let sandboxed = Caller("/app/bin/geary", confinement: .flatpak("org.gnome.Geary"))

  /// With a token in memory.
  private func bench(_ provider: FakeProvider = FakeProvider()) async throws -> Bench {
    let bench = Bench(provider: provider, contents: StoreContents(records: [Self.record]))
    let answer = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-1", "rt-2"))
    _ = try await answer.value.get()
    return bench
  }

  private static let record = Bench.record()

  private func ask(_ bench: Bench, _ account: String = "work", by caller: Caller = mail) async {
    let request = TokenOperation(account: account)
    if await bench.coordinator.tokenAtOnce(request, by: caller) == nil {
      _ = await bench.coordinator.token(request, by: caller)
    }
  }

  @Test func aTokenSaysWhoGotWhich() async throws {
    let bench = try await bench()
    await ask(bench, by: Self.mail)
    let event = try #require(bench.log.events(.tokenGranted).last)
    #expect(event.account == "work")
    #expect(event.caller === Self.mail)
    #expect(event.message == "token given to /usr/bin/mbsync, unit mail.service")
    #expect(event.session == Self.record.session)
    #expect(event.token == FakeDigest().fingerprint(of: Secret("at-1")))
    #expect(bench.log.events(.refreshed).map(\.token) == [event.token])
    #expect(event.count == nil)
  }

  @Test func theTokenThatWasWaitedForIsAnEventToo() async throws {
    let bench = try await bench()
    #expect(bench.log.events(.tokenGranted).map(\.caller?.program.executable) == ["/usr/bin/mbsync"])
  }

  @Test func aLoopMakesALineAMinute() async throws {
    let bench = try await bench()
    for _ in 0..<1000 { await ask(bench) }
    #expect(bench.log.events(.tokenGranted).count == 2)
    await bench.clock.run(.seconds(60))
    #expect(bench.log.events(.tokenGranted).map(\.count) == [nil, nil, 999])
    await bench.clock.run(.seconds(600))
    #expect(bench.log.events(.tokenGranted).count == 3)
  }

  @Test func theCountIsWrittenBeforeTheLogout() async throws {
    let bench = try await bench()
    for _ in 0..<3 { await ask(bench) }
    _ = await bench.logOut()
    let kinds = bench.log.events.map(\.kind).filter { [.tokenGranted, .loggedOut].contains($0) }
    #expect(kinds == [.tokenGranted, .tokenGranted, .tokenGranted, .loggedOut])
    #expect(bench.log.events(.tokenGranted).last?.count == 2)
    let logout = try #require(bench.log.events(.loggedOut).first)
    #expect(logout.account == "work")
    #expect(logout.caller === Caller.ordinary)
    #expect(logout.session != nil)
  }

  @Test func theLogoutOfWhatCannotBeReadIsAnEventAndThereIsNoSecond() async throws {
    let torn = UnusableRecord("torn", isReplaceable: true)
    let bench = Bench(contents: StoreContents(unusable: ["work": torn]))
    #expect(try await bench.logOut().get().unreadable == "torn")
    #expect(try await bench.logOut().get().remote == .none)
    let logouts = bench.log.events(.loggedOut)
    #expect(logouts.map(\.account) == ["work"])
    #expect(logouts.first?.caller === Caller.ordinary)
  }

  @Test func theCountIsWrittenBeforeTheEnd() async throws {
    let bench = try await bench()
    for _ in 0..<3 { await ask(bench) }
    await bench.coordinator.stop()
    #expect(bench.log.events(.tokenGranted).last?.count == 2)
  }

  @Test func aScopeIsInTheEvent() async throws {
    let bench = try await bench()
    #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "work", scope: "mail")) != nil)
    #expect(bench.log.events(.tokenGranted).map(\.scope) == [nil, "mail"])
  }

  @Test func denialsAreCountedAsWell() async throws {
    let bench = try await bench()
    for _ in 0..<10 { await ask(bench, "nope", by: Self.sandboxed) }
    #expect(
      await bench.coordinator.refusal(of: .logout(LogoutOperation(account: "work")), by: Self.sandboxed) != nil)
    let first = try #require(bench.log.events(.denied).first)
    #expect(first.account == "nope")
    #expect(first.reason == "sandboxed")
    #expect(first.message == "denied to Flatpak org.gnome.Geary: sandboxed")
    #expect(first.kind.decision == "denied")
    await bench.clock.run(.seconds(60))
    #expect(bench.log.events(.denied).map(\.account) == ["nope", "work", "nope"])
    #expect(bench.log.events(.denied).map(\.count) == [nil, nil, 9])
  }

  @Test(arguments: [(ConfirmationAnswer.yes, Event.Kind.confirmed, nil), (.no, .denied, "not_confirmed")])
  func whatThePersonSaysIsAnEvent(_ answer: ConfirmationAnswer, _ kind: Event.Kind, _ reason: String?) async throws {
    let bench = try await bench()
    bench.source.write(["work", "other"], policies: ["work": AccessPolicy(confirms: true)])
    _ = await bench.coordinator.reload()
    let asking = Task { await ask(bench) }
    await QueueExecutor.shared.settle()
    bench.prompt.answer(answer)
    await asking.value
    let event = try #require(bench.log.events(kind).last)
    #expect(event.account == "work")
    #expect(event.reason == reason)
    #expect(event.caller === Self.mail)
  }

  // MARK: Sessions

  @Test func aSignInIsAnEvent() async throws {
    let bench = Bench()
    let answer = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-1", "rt-1"))
    let reply = try await answer.value.get()
    let event = try #require(bench.log.events(.signedIn).first)
    #expect(event.account == "work")
    #expect(event.session?.description == reply.session)
    #expect(event.caller === Caller.ordinary)
    #expect(event.message == "signed in by /usr/bin/mbsync")
  }

  @Test func aWrongPasswordIsAnEvent() async throws {
    let bench = Bench()
    let answer = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(.rejected(.grant(.revoked)))
    _ = await answer.value
    #expect(bench.log.events(.signInFailed).map(\.reason) == ["login_denied"])
    #expect(bench.log.events(.signedIn).isEmpty)
  }

  @Test(arguments: [
    (RevocationOutcome.done, Event.Kind.revoked, nil), (.refused("no"), .revocationFailed, "refused"),
    (.failed("down"), .revocationFailed, "unavailable"),
  ])
  func aRevocationIsAnEvent(_ outcome: RevocationOutcome, _ kind: Event.Kind, _ reason: String?) async throws {
    let bench = try await bench(FakeProvider(revocations: outcome))
    _ = await bench.logOut()
    await QueueExecutor.shared.settle()
    let event = try #require(bench.log.events(kind).first)
    #expect(event.reason == reason)
    #expect(event.session == bench.log.events(.loggedOut).first?.session)
  }

  @Test(arguments: [(true, Event.Kind.reuseDetected, "lost_rotation"), (false, .loginRequired, "revoked")])
  func aRefusedRefreshTokenIsAnEvent(_ isFateUnknown: Bool, _ kind: Event.Kind, _ reason: String) async throws {
    let record = Bench.record()
    let intents = isFateUnknown ? [RefreshIntent(of: record, at: 999_500)] : []
    let bench = Bench.scripted(
      Script([.rejected(.grant(.revoked)), .rejected(.grant(.revoked))]), record: record, intents: intents)
    #expect(await bench.ask().value.error?.reason == reason)
    let event = try #require(bench.log.events(kind).first)
    #expect(event.reason == reason)
    #expect(event.session == record.session)
    #expect(!event.message.hasPrefix("work"))
    #expect(bench.log.events(.refreshFailed).isEmpty)
    #expect(bench.log.events(kind).count == 1)
  }

  @Test func whoIsSomebodyElseIsAnEventOfItsOwn() async throws {
    let bench = Bench(signingInAt: { _ in })
    bench.signIns.change { $0.identities = ["alice", "bob"].map { .success(Identity(subject: $0)) } }
    for number in 1...2 {
      let login = await bench.logIn()
      _ = await bench.bring(answer(state: "state-\(number)"))
      _ = await login.outcome()
    }
    #expect(bench.log.events.map(\.kind).filter { $0 != .revoked } == [.signedIn, .subjectMismatch])
    #expect(bench.log.events(.subjectMismatch).map(\.account) == ["work"])
  }

  // MARK: The rest

  @Test func aKeyringThatFailsAndComesBackIsTwoEvents() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    await bench.store.fail(.locked)
    _ = await bench.ask().value
    await bench.store.fail(nil)
    await bench.coordinator.load()
    #expect(bench.log.events(.keyringFailed).map(\.reason) == ["locked"])
    #expect(bench.log.events(.keyringRecovered).count == 1)
  }

  @Test func aReloadIsAnEventWithWhoAskedForIt() async {
    let bench = Bench()
    _ = await bench.coordinator.reload(by: Self.mail)
    _ = await bench.coordinator.reload()
    #expect(bench.log.events(.configuration).map { $0.caller === Self.mail } == [true, false])
  }

  @Test func noEventHasASecret() async throws {
    let bench = try await bench()
    await ask(bench)
    let signIn = Task { await bench.signIn() }
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at-9", "rt-9"))
    _ = await signIn.value
    await ask(bench)
    _ = await bench.logOut()
    await bench.coordinator.stop()
    let text = bench.log.events.map { "\($0)" }.joined()
    #expect(!["at-1", "at-9", "rt-1", "rt-2", "rt-9", "secret"].contains { text.contains($0) })
    #expect(bench.log.events.contains { $0.token != nil })
  }
}

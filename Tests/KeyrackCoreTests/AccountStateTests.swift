import KeyrackCore
import KeyrackProtocol
import Testing

/// Each state of PROTOCOL.md, as `status` shows it; what answers of a provider lead to is in ``RefreshAnswerTests``.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct AccountStateTests {
  @Test func signedOutAndSigningIn() async throws {
    let bench = Bench()
    await bench.coordinator.load()
    await bench.clock.run(.seconds(10))
    #expect(try await bench.status().state == .signedOut)
    #expect(try await bench.status().since == 1_000_000)
    #expect(await bench.ask().value.error?.reason == "signed_out")
    let login = Task { await bench.signIn() }
    await bench.provider.waitForRequests(1)
    #expect(try await bench.status().state == .signingIn)
    #expect(try await bench.status().since == 1_000_010)
    #expect(await bench.ask().value.error?.reason == "signing_in")
    await bench.provider.answerNext(grant("at", "rt"))
    _ = try await login.value.get()
    #expect(try await bench.status().state == .active)
  }

  @Test func refreshingAndActive() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    #expect(try await bench.status().state == .refreshing)
    await bench.provider.answerNext(grant("at", "rt-2"))
    _ = try await asked.value.get()
    let status = try await bench.status()
    #expect(status.state == .active)
    #expect(status.refreshedAt == 1_000_000)
    #expect(status.expiresAt == 1_003_600)
  }

  @Test func aSessionWithoutRefreshTokenEndsWithItsAccessToken() async throws {
    var record = Bench.record()
    record.refreshToken = nil
    record.accessToken = Secret("at")
    record.expiresAt = 1_000_101
    let bench = Bench.scripted(Script([grant("never")]), record: record)
    await bench.coordinator.load()
    #expect(try await bench.status().state == .active)
    await bench.clock.run(.seconds(200))
    let status = try await bench.status()
    #expect(status.state == .loginRequired)
    #expect(status.reason == "no_refresh_token")
    #expect(status.since == 1_000_100)
    #expect(await bench.ask().value.error?.reason == "no_refresh_token")
    #expect(await bench.provider.requests.isEmpty)
  }

  @Test func anotherProviderInTheConfigurationSetsItAside() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2")]))
    _ = try await bench.ask().value.get()
    await bench.clock.run(.seconds(10))
    let other = Provider(
      name: "corp", kind: .oauth(.init(clientID: "keyrack", tokenEndpoint: "https://elsewhere.example/token")))
    await bench.reload(["work"], of: other)
    let status = try await bench.status()
    #expect(status.state == .loginRequired)
    #expect(status.reason == "config")
    #expect(status.since == 1_000_010)
    #expect(await bench.ask().value.error?.reason == "config")
    await bench.reload(["work"])
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test func aLockedKeyringServesWhatIsGoodAndEndsByItself() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2", seconds: 100), grant("at-2", "rt-3")]))
    _ = try await bench.ask().value.get()
    await bench.store.fail(.locked)
    await bench.clock.run(.seconds(80))
    #expect(try await bench.status().state == .keyringLocked)
    #expect(try await bench.ask().value.get().token == Secret("at"))
    await bench.clock.run(.seconds(30))
    #expect(await bench.ask().value.code == .keyringLocked)
    await bench.store.fail(nil)
    await bench.clock.run(.seconds(120))
    #expect(try await bench.status().state == .active)
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-2"])
  }

  @Test func anAccountThatComesBackAfterTheKeyringDidIsActive() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2")]))
    await bench.coordinator.load()
    await bench.store.fail(.locked)
    #expect(await bench.ask().value.code == .keyringLocked)
    await bench.reload(["other"])
    await bench.store.fail(nil)
    _ = await bench.signIn("other")
    await bench.reload(["work", "other"])
    #expect(try await bench.status().state == .active)
  }

  @Test("R32 a repetition that waits is given up, and no intent left") func stopping() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let asked = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(.rejected(.unexplained))
    await QueueExecutor.shared.settle()
    let stop = Task { await bench.coordinator.stop() }
    #expect(await asked.value.code == .shuttingDown)
    await bench.clock.run(.seconds(2))
    await stop.value
    #expect(await bench.provider.requests.count == 1)
    #expect(await bench.intents.intents.isEmpty)
  }
}

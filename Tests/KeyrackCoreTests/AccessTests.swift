import KeyrackCore
import KeyrackProtocol
import Testing

@Suite(.timeLimit(.minutes(1)), OneQueue()) struct AccessTests {
  static let sandboxed = Caller("/app/bin/geary", confinement: .flatpak("org.gnome.Geary"))
  static let onlyGit = AccessPolicy(allowed: [ProgramPattern(.exe, "/usr/bin/git")])
  static let git = Caller("/usr/bin/git")

  enum CacheState: CaseIterable { case valid, expired, absent, refreshing }

  /// An account in that state, and from then on with that policy.
  private func bench(_ state: CacheState, _ policy: AccessPolicy) async -> Bench {
    let bench = Bench(contents: StoreContents(records: state == .absent ? [] : [Bench.record()]))
    if state != .absent {
      let answer = await bench.ask()
      await bench.provider.waitForRequests(1)
      if state != .refreshing {
        await bench.provider.answerNext(grant("at-1", seconds: 600))
        _ = await answer.value
      }
    }
    if state == .expired {
      bench.clock.advance(.seconds(700))
      // The refresh that was planned for it has begun.
      await QueueExecutor.shared.settle()
    }
    bench.source.write(["work", "other"], policies: ["work": policy])
    _ = await bench.coordinator.reload()
    return bench
  }

  @Test(arguments: CacheState.allCases, [sandboxed, Caller.ordinary, .unknown])
  func aDeniedProgramGetsTheSameAnswerWhateverThereIs(_ state: CacheState, _ caller: Caller) async {
    let bench = await bench(state, Self.onlyGit)
    let before = await bench.provider.requests.count
    let atOnce = await bench.coordinator.tokenAtOnce(TokenOperation(account: "work"), by: caller)
    let later = await bench.coordinator.token(TokenOperation(account: "work"), by: caller)
    let absent = await self.bench(.absent, Self.onlyGit)
    let expected = await absent.coordinator.token(TokenOperation(account: "work"), by: caller)
    #expect(atOnce?.error == expected.error)
    #expect(later.error == expected.error)
    #expect(expected.code == .forbidden)
    #expect(await bench.provider.requests.count == before)
  }

  @Test func aSandboxedProgramDoesNotLearnWhatAccountsThereAre() async {
    let bench = Bench()
    func answer(_ name: String) async -> ReplyError? {
      await bench.coordinator.token(TokenOperation(account: name), by: Self.sandboxed).error
    }
    let (there, missing) = (await answer("work"), await answer("nope"))
    #expect(there?.code == .forbidden)
    #expect(there?.reason == "sandboxed" && missing?.reason == "sandboxed")
    #expect(there?.message.replacing("work", with: "nope") == missing?.message)
    #expect(
      await bench.coordinator.token(TokenOperation(issuer: "https://sso.example"), by: Self.sandboxed).code
        == .forbidden)
    #expect(
      await bench.coordinator.token(TokenOperation(issuer: "https://other"), by: Self.sandboxed).code == .forbidden)
  }

  @Test(arguments: [
    ("podman-109.scope", "podman-*"), ("libpod-" + String(repeating: "0a", count: 32) + ".scope", "libpod-*"),
    ("session-3.scope", "session-*"), ("libpod-0a.scope", "libpod-0a.scope"), ("app-feed.scope", "app-feed.scope"),
    ("a-1.service", "a-1.service"), ("x-.scope", "x-.scope"), ("1.scope", "1.scope"),
  ])
  func theHintNamesTheUnitOfAContainerAndShutsNobodyOut(_ unit: String, _ pattern: String) async {
    let caller = Caller(
      process: 1, evidence: .pidfd, program: Program(executable: "/x", unit: unit, confinement: .container))
    let hint = await Bench().coordinator.token(TokenOperation(account: "work"), by: caller).error?.hint
    #expect(
      hint == "to let it, add unit:\(pattern) to allow= of [account work] in keyrack.conf, "
        + "as allow=exe:/*;unit:\(pattern) where it has none, then keyrack reload")
    let nameless = await Bench().coordinator.refusal(of: .reload(ReloadOperation()), by: caller)
    #expect(
      nameless?.hint == "only an account can let it in, by allow=exe:/*;unit:\(pattern) of its group in keyrack.conf")
  }

  @Test func onlyTheAccountsOfAProgramCountWhenItAsksByIssuer() async {
    let bench = Bench()
    bench.source.write(["work", "other"], policies: ["other": Self.onlyGit])
    _ = await bench.coordinator.reload()
    #expect(
      await bench.coordinator.token(TokenOperation(issuer: "https://sso.example"), by: Self.git).code
        == .ambiguousAccount)
    let error = await bench.coordinator.token(TokenOperation(issuer: "https://sso.example"), by: .ordinary).error
    #expect(error?.code == .loginRequired)
    #expect(error?.message.hasPrefix("work: ") == true)
  }

  @Test func statusShowsOnlyWhatTheProgramMayUse() async throws {
    let bench = Bench(contents: StoreContents(records: [Bench.record("gone")]))
    bench.source.write(["work", "other"], policies: ["other": Self.onlyGit])
    _ = await bench.coordinator.reload()
    func names(_ caller: Caller) async throws -> [String] {
      try await bench.coordinator.status(StatusOperation(), by: caller).get().accounts.map(\.account)
    }
    #expect(try await names(.ordinary) == ["work"])
    #expect(try await names(Self.git) == ["other", "work"])
    #expect(try await names(Self.sandboxed) == [])
    #expect(try await names(.unknown) == [])
  }

  static let calls: [Request.Call] = [
    .login(LoginOperation(account: "work", username: nil, password: nil)),
    .loginResponse(LoginResponseOperation(account: "work", url: Secret("u"))),
    .cancel(CancelOperation(account: "work")), .logout(LogoutOperation(account: "work")),
    .status(StatusOperation(account: "work")), .reload(ReloadOperation()), .providers(ProvidersOperation()),
    .discover(DiscoverOperation(issuer: "https://i")), .register(RegisterOperation(issuer: "https://i", provider: "p")),
    .secret(SecretOperation(provider: "p", secret: nil)),
  ]

  @Test(arguments: calls) func everyOperationButVersionIsRefusedToASandboxedProgram(_ call: Request.Call) async {
    let bench = Bench()
    #expect(await bench.coordinator.refusal(of: call, by: Self.sandboxed)?.code == .forbidden)
    #expect(await bench.coordinator.refusal(of: call, by: .unknown)?.reason == "unknown_program")
    #expect(await bench.coordinator.refusal(of: call, by: .ordinary) == nil)
    #expect(await bench.coordinator.refusal(of: .version(VersionOperation()), by: Self.sandboxed) == nil)
  }

  @Test func aTokenThatWasWaitedForIsNotGivenOnceThePolicyForbidsIt() async {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let answer = await bench.ask()
    await bench.provider.waitForRequests(1)
    bench.source.write(["work", "other"], policies: ["work": Self.onlyGit])
    _ = await bench.coordinator.reload()
    await bench.provider.answerNext(grant("at-1"))
    #expect(await answer.value.code == .forbidden)
    #expect(await bench.coordinator.token(TokenOperation(account: "work"), by: Self.git).error == nil)
  }
}

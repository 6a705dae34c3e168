import KeyrackCore
import KeyrackProtocol
import Testing

/// Which account serves what is where: places are `host/path` here.
@Suite(.timeLimit(.minutes(1))) struct ResolveTests {
  private static func mapping(
    _ url: String, _ account: String, _ user: UseMapping.User = .anybody, use: ResolveOperation.Use = .git
  ) throws -> UseMapping {
    UseMapping(use: use, place: try #require(WebPlace(url)), url: url, account: account, user: user)
  }

  private static func mappings() throws -> [UseMapping] {
    [
      try mapping("git.example", "host"), try mapping("git.example", "bob", .only("bob")),
      try mapping("git.example/team", "team"), try mapping("git.example/team/a", "a", .usually("alice")),
      try mapping("other.example/team", "other", .only("bob")), try mapping("git.example", "docker", use: .docker),
    ]
  }

  private func bench(policies: [String: AccessPolicy] = [:]) async throws -> Bench {
    let bench = Bench()
    let mappings = try Self.mappings()
    bench.source.write(mappings.map(\.account), policies: policies, uses: mappings)
    _ = await bench.coordinator.reload()
    return bench
  }

  private static func request(_ url: String, _ username: String? = nil) -> ResolveOperation {
    ResolveOperation(use: .git, url: Secret(url), username: username)
  }

  @Test(
    arguments: [
      ("git.example", nil, "host"), ("git.example/x", nil, "host"), ("git.example/x", "carol", "host"),
      ("git.example/x", "bob", "bob"), ("git.example/team", nil, "team"), ("git.example/team/x.git", "bob", "team"),
      ("git.example/teams", nil, "host"), ("git.example/team/a/b", nil, "a"), ("git.example/team/a", "alice", "a"),
      ("git.example/team/a", "bob", "team"), ("other.example/team", nil, nil), ("other.example/team/x", "bob", "other"),
      ("other.example", "bob", nil), ("elsewhere.example", nil, nil), ("no place", nil, nil),
    ] as [(String, String?, String?)])
  func theLongestPathWinsAndThenTheUser(_ url: String, _ username: String?, _ account: String?) async throws {
    let bench = try await bench()
    let reply = try await bench.coordinator.resolve(Self.request(url, username), by: .ordinary).get()
    #expect(reply.account == account)
  }

  @Test func theUserIsToldWhereItIsConfigured() async throws {
    let bench = try await bench()
    func username(_ url: String, _ username: String? = nil) async throws -> String? {
      try await bench.coordinator.resolve(Self.request(url, username), by: .ordinary).get().username
    }
    #expect(try await username("git.example/team/a") == "alice")
    #expect(try await username("git.example", "bob") == "bob")
    #expect(try await username("git.example", "carol") == nil)
  }

  @Test func anotherUseHasPlacesOfItsOwn() async throws {
    let bench = try await bench()
    let request = ResolveOperation(use: .docker, url: Secret("git.example/team"))
    #expect(try await bench.coordinator.resolve(request, by: .ordinary).get().account == "docker")
  }

  @Test func whoMayNotUseTheAccountLearnsNothing() async throws {
    let bench = try await bench(policies: ["team": AccessTests.onlyGit])
    let (mapped, unmapped) = (Self.request("git.example/team"), Self.request("elsewhere.example"))
    func answer(_ request: ResolveOperation, _ caller: Caller) async -> Result<ResolveOperation.Reply, ReplyError> {
      await bench.coordinator.resolve(request, by: caller)
    }
    #expect(try await answer(mapped, AccessTests.git).get().account == "team")
    #expect(try await answer(mapped, .ordinary).get() == answer(unmapped, .ordinary).get())
    #expect(bench.log.events(.denied).map(\.account) == ["team"])
    for caller in [AccessTests.sandboxed, .unknown] {
      let (one, other) = (await answer(mapped, caller), await answer(unmapped, caller))
      #expect(one.code == .forbidden)
      #expect(one.error == other.error)
    }
  }

  @Test func withoutAUrlAllThatTheProgramMayUseAreTold() async throws {
    let listed = AccessPolicy(allowed: [ProgramPattern(.flatpak, "org.gnome.Geary")])
    let bench = try await bench(policies: ["team": AccessTests.onlyGit, "a": listed])
    func accounts(_ caller: Caller) async throws -> [String]? {
      try await bench.coordinator.resolve(ResolveOperation(use: .git), by: caller).get().mappings?.map(\.account)
    }
    #expect(try await accounts(.ordinary) == ["host", "bob", "other"])
    #expect(try await accounts(AccessTests.git) == ["host", "bob", "team", "other"])
    #expect(try await accounts(AccessTests.sandboxed) == ["a"])
    #expect(await bench.coordinator.resolve(ResolveOperation(use: .docker), by: .unknown).code == .forbidden)
  }

  @Test func aReloadChangesThem() async throws {
    let bench = try await bench()
    await bench.reload(["host"])
    #expect(try await bench.coordinator.resolve(Self.request("git.example"), by: .ordinary).get().account == nil)
  }
}

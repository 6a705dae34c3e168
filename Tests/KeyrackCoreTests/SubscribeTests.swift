import KeyrackCore
import KeyrackProtocol
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)), OneQueue()) struct SubscribeTests {
  /// What a subscriber got, until it goes.
  private final class Client: Sendable {
    private let state = Mutex((lines: [String](), isThere: true))

    var sink: AnswerSink {
      AnswerSink { line in
        self.state.withLock { state in
          switch line {
          case .event(let bytes), .reply(let bytes):
            state.lines.append(String(decoding: bytes.dropLast(), as: UTF8.self))
          case .end: state.lines.append("end")
          case nil: break
          }
          return state.isThere
        }
      }
    }

    func go() { state.withLock { $0.isThere = false } }

    /// What has come since the last call, without what all have.
    func lines() async -> [String] {
      await QueueExecutor.shared.settle()
      return state.withLock { state in
        defer { state.lines = [] }
        return state.lines.map { $0.replacing(#/,"at":\d+/#, with: "") }
      }
    }
  }

  private func subscribe(
    _ bench: Bench, _ accounts: [String]? = nil, by caller: Caller = .ordinary
  ) async -> Client {
    let client = Client()
    await bench.coordinator.subscribe(
      SubscribeOperation(accounts: accounts), id: .number(1), by: caller, client.sink)
    return client
  }

  @Test func theAccountsComeFirst() async throws {
    let bench = Bench()
    let lines = await subscribe(bench).lines()
    #expect(lines.count == 1)
    let reply = try Reply<SubscribeOperation.Reply>(line: Array(lines[0].utf8))
    #expect(reply.id == .number(1))
    #expect(try reply.result.get().accounts.map(\.account) == ["other", "work"])
  }

  @Test func aSignInAndALogoutAreTold() async throws {
    let bench = Bench(provider: FakeProvider { _ in grant("at-1", "rt-1") })
    let client = await subscribe(bench)
    _ = await client.lines()
    _ = try await bench.signIn().get()
    #expect(await client.lines() == [#"{"id":1,"event":"login","account":"work"}"#])
    _ = try await bench.logOut().get()
    #expect(await client.lines() == [#"{"id":1,"event":"logout","account":"work"}"#])
  }

  @Test func anOutageIsToldOnceAndSoIsItsEnd() async throws {
    let answers = Script([grant("at-1", "rt-2", seconds: 600), .notSent("x"), .notSent("x"), grant("at-2", "rt-3")])
    let bench = Bench.scripted(answers)
    _ = try await bench.ask().value.get()
    let client = await subscribe(bench)
    _ = await client.lines()
    bench.clock.advance(.seconds(601))
    for _ in 0..<3 {
      _ = await bench.ask(timeout: 0).value
      await bench.clock.run(.seconds(5))
    }
    #expect(
      await client.lines() == [
        #"{"id":1,"event":"refresh_failed","account":"work","reason":"degraded"}"#,
        #"{"id":1,"event":"refreshed","account":"work"}"#,
        #"{"id":1,"event":"recovered","account":"work"}"#,
      ])
  }

  @Test func aRefusedRefreshTokenIsTold() async throws {
    let bench = Bench.scripted(Script([.rejected(.grant(.revoked))]))
    let client = await subscribe(bench)
    _ = await client.lines()
    _ = await bench.ask().value
    for _ in 0..<500 { _ = await bench.ask().value }
    let lines = await client.lines()
    #expect(
      lines.filter { $0.contains("login_required") } == [
        #"{"id":1,"event":"login_required","account":"work","reason":"revoked"}"#
      ])
  }

  @Test func aSubscriberIsToldOnlyOfWhatItMayUse() async throws {
    let bench = Bench(provider: FakeProvider { _ in grant("at-1", "rt-1") })
    bench.source.write(["work", "other"], policies: ["work": AccessTests.onlyGit])
    _ = await bench.coordinator.reload()
    let (ordinary, git) = (await subscribe(bench), await subscribe(bench, by: AccessTests.git))
    let refused = await subscribe(bench, ["work"])
    #expect(await refused.lines().first?.contains(#""code":"forbidden""#) == true)
    _ = (await ordinary.lines(), await git.lines())
    _ = try await bench.signIn("work").get()
    #expect(await ordinary.lines() == [])
    #expect(await git.lines().count == 1)
    bench.source.write(["work", "other"])
    _ = await bench.coordinator.reload()
    #expect(await ordinary.lines() == [#"{"id":1,"event":"config"}"#])
    _ = try await bench.logOut("work").get()
    #expect(await ordinary.lines().count == 1)
  }

  @Test func onlyTheAccountsThatWereNamedCount() async throws {
    let bench = Bench(provider: FakeProvider { _ in grant("at-1", "rt-1") })
    let client = await subscribe(bench, ["other"])
    _ = await client.lines()
    _ = try await bench.signIn("work").get()
    #expect(await client.lines() == [])
    _ = try await bench.signIn("other").get()
    #expect(await client.lines().count == 1)
    #expect(await subscribe(bench, ["nope"]).lines().first?.contains("unknown_account") == true)
  }

  @Test func whoeverHasGoneIsForgotten() async throws {
    let bench = Bench()
    for _ in 0..<100 { await subscribe(bench).go() }
    #expect(await bench.coordinator.subscriberCount <= 1)
  }

  @Test func stoppingEndsThem() async {
    let bench = Bench()
    let client = await subscribe(bench)
    _ = await client.lines()
    await bench.coordinator.stop()
    #expect(await client.lines() == ["end"])
    #expect(await subscribe(bench).lines().first?.contains("shutting_down") == true)
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

/// What the command of `on_event` is told.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct EventHookTests {
  private func bench(_ answers: [TokenOutcome], command: String? = "cmd") async -> Bench {
    let script = Script(answers)
    let clock = FakeClock()
    let bench = Bench(
      provider: FakeProvider(clock: clock) { _ in script.next() },
      contents: StoreContents(records: [Bench.record("other")]), clock: clock, notices: NoticeSettings(command: command)
    )
    await bench.coordinator.start()
    await QueueExecutor.shared.settle()
    return bench
  }

  @Test func whatASubscriberIsShownIsTold() async throws {
    let bench = await bench([grant("at-1", "rt-1")])
    #expect(await bench.hook.told() == [])
    _ = try await bench.signIn().get()
    #expect(await bench.hook.told() == ["cmd {\"event\":\"login\",\"account\":\"work\"}\n"])
    _ = try await bench.logOut().get()
    #expect(await bench.hook.told() == ["cmd {\"event\":\"logout\",\"account\":\"work\"}\n"])
  }

  @Test func whatHadFailedAndWorksAgainIsTold() async throws {
    let bench = await bench([.rejected(.grant(.revoked)), grant("at-1", "rt-2")])
    _ = await bench.ask("other").value
    _ = try await bench.signIn("other").get()
    let told = await bench.hook.told()
    #expect(told.count == 2)
    #expect(told.first == "cmd {\"event\":\"login_required\",\"account\":\"other\",\"reason\":\"revoked\"}\n")
  }

  @Test func aReloadNamesTheCommandOrNone() async throws {
    let bench = await bench([grant("at-1", "rt-1")], command: nil)
    _ = try await bench.signIn().get()
    #expect(await bench.hook.told() == [])
    bench.source.write(["work", "other"], notices: NoticeSettings(command: "new"))
    _ = await bench.coordinator.reload()
    #expect(await bench.hook.told() == ["new {\"event\":\"config\"}\n"])
    bench.source.write(["work", "other"])
    _ = await bench.coordinator.reload()
    _ = try await bench.logOut().get()
    #expect(await bench.hook.told() == [])
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

/// What the person is shown of what happens to sessions.
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct NoticeTests {
  private static let revoked = Notice.loginRequired(account: "work", .revoked)

  private func bench(_ answers: [TokenOutcome]) async -> Bench {
    let bench = Bench.scripted(Script(answers))
    await bench.coordinator.start()
    await QueueExecutor.shared.settle()
    return bench
  }

  @Test func aRefusedRefreshTokenIsShownRemindedOfAndClosed() async throws {
    let bench = await bench([.rejected(.grant(.revoked)), grant("at-1", "rt-2")])
    #expect(await bench.display.actions() == [])
    for _ in 0..<20 { _ = await bench.ask().value }
    #expect(await bench.display.actions() == [.show(Self.revoked)])
    await bench.clock.run(.seconds(86_399))
    #expect(await bench.display.actions() == [])
    await bench.clock.run(.seconds(1))
    #expect(await bench.display.actions() == [.show(Self.revoked)])
    await bench.clock.run(.seconds(30 * 86_400))
    #expect(await bench.display.actions().count == NoticeBoard.maximumReminders - 1)
    _ = try await bench.signIn().get()
    #expect(await bench.display.actions() == [.close(.account("work"))])
  }

  @Test func anOutageIsNotShown() async throws {
    let bench = await bench([.notSent("x"), .notSent("x"), grant("at-1", "rt-2")])
    _ = await bench.ask(timeout: 0).value
    await bench.clock.run(.seconds(600))
    #expect(await bench.display.actions() == [])
  }

  @Test func aLockedKeyringIsShownOnceSomebodyNeedsIt() async throws {
    let bench = Bench.scripted(Script([grant("at-1", "rt-2")]))
    await bench.store.fail(.locked)
    await bench.coordinator.start()
    #expect(await bench.display.actions() == [])
    _ = await bench.ask().value
    _ = await bench.ask("other").value
    #expect(await bench.display.actions() == [.show(.keyring(isLocked: true))])
    await bench.store.fail(nil)
    await bench.clock.run(.seconds(60))
    #expect(await bench.display.actions() == [.close(.keyring)])
  }

  @Test func aReloadTurnsThemOffAndOn() async throws {
    let bench = await bench([.rejected(.grant(.revoked))])
    bench.source.write(["work", "other"], notices: NoticeSettings(isShown: false))
    _ = await bench.coordinator.reload()
    _ = await bench.ask().value
    #expect(await bench.display.actions() == [])
    bench.source.write(["work", "other"])
    _ = await bench.coordinator.reload()
    #expect(await bench.display.actions() == [.show(Self.revoked)])
    bench.source.write(["other"])
    _ = await bench.coordinator.reload()
    #expect(await bench.display.actions() == [.close(.account("work"))])
  }
}

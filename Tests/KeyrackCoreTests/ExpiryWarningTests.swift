import KeyrackCore
import KeyrackProtocol
import Testing

@Suite(.timeLimit(.minutes(1)), OneQueue()) struct ExpiryWarningTests {
  @Test(arguments: [(30 * 86_400, 27 * 86_400), (36_000, 32_400)])
  func theEndOfTheRefreshTokenIsToldAhead(_ lifetime: Int, _ warning: Int) async throws {
    var record = Bench.record()
    record.refreshExpiresAt = record.obtainedAt + lifetime
    let bench = Bench(contents: StoreContents(records: [record]))
    // The test's clock is a thousand seconds after the sign-in.
    let left = warning - (bench.clock.wall - record.obtainedAt)
    let events = Events()
    await bench.coordinator.start()
    await QueueExecutor.shared.settle()
    await bench.coordinator.subscribe(SubscribeOperation(), id: nil, by: .ordinary, events.sink)
    await bench.clock.run(.seconds(left - 1))
    #expect(events.kinds == [])
    await bench.clock.run(.seconds(1))
    #expect(events.kinds == [.expiring])
    #expect(await bench.display.actions() == [.show(.expiring(account: "work"))])
  }

  @Test func oneThatWasOverdueAtTheStartIsToldToo() async throws {
    var record = Bench.record()
    record.refreshExpiresAt = record.obtainedAt + 1100
    let bench = Bench(contents: StoreContents(records: [record]))
    await bench.coordinator.start()
    #expect(await bench.display.actions() == [.show(.expiring(account: "work"))])
  }
}

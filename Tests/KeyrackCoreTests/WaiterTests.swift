import KeyrackCore
import KeyrackProtocol
import Testing

/// Callers on all threads of the machine that come, wait and give up while one refresh is under way (REFRESH R10, R11).
@Suite(.timeLimit(.minutes(5))) struct WaiterTests {
  private typealias Caller = (timeout: Int, answer: Bench.Answer)

  /// How long the provider takes, and at most passes until everybody has an answer.
  private static let latency = 3
  private static let round = 6

  @Test func noneOfFiveHundredIsForgottenWhoeverGivesUp() async throws {
    let clock = FakeClock()
    let bench = Bench(contents: StoreContents(records: [Bench.record()]), clock: clock)
    for round in 1...50 {
      let callers = (0..<500).map { _ in caller(of: bench.coordinator) }
      await bench.provider.waitForRequests(round)
      for _ in 0..<Self.latency { clock.advance(.seconds(1)) }
      for caller in callers where Bool.random() { caller.answer.cancel() }
      // Those who give up now meet the answer.
      async let answered: Void = bench.provider.answerNext(grant("at-\(round)", "rt-\(round)"))
      for _ in Self.latency..<Self.round { clock.advance(.seconds(1)) }
      await answered
      for caller in callers { try await check(caller, expected: Secret("at-\(round)")) }
      #expect(await bench.provider.requests.count == round)
      clock.advance(.seconds(3600))
    }
    #expect(await bench.store.contents.records.first?.refreshToken == Secret("rt-50"))
  }

  private func caller(of coordinator: TokenCoordinator) -> Caller {
    let timeout = Int.random(in: 0...2 * Self.round)
    let request = TokenOperation(account: "work", timeout: timeout)
    return (timeout, Task.detached { await coordinator.token(request) })
  }

  private func check(_ caller: Caller, expected: Secret) async throws {
    switch await caller.answer.value {
    case .success(let reply): #expect(reply.token == expected)
    case .failure(let error):
      #expect(error.code == .timeout)
      #expect(caller.timeout <= Self.round)
    }
  }
}

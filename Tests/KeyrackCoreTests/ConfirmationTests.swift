import KeyrackCore
import KeyrackProtocol
import Testing

@Suite(.timeLimit(.minutes(1)), OneQueue()) struct ConfirmationTests {
  private static let mail = Caller("/usr/bin/mbsync")
  private static let git = Caller("/usr/bin/git")

  /// An account with a valid token in memory, that asks the person from then on.
  private func bench(remembered: Duration? = nil) async throws -> Bench {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let answer = await bench.ask()
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-1"))
    _ = try await answer.value.get()
    await configure(bench, remembered)
    return bench
  }

  private func configure(_ bench: Bench, _ remembered: Duration?) async {
    let policy = AccessPolicy(confirms: true, confirmationLifetime: remembered)
    bench.source.write(["work", "other"], policies: ["work": policy])
    _ = await bench.coordinator.reload()
  }

  private func ask(_ bench: Bench, _ caller: Caller = mail, timeout: Int? = nil) async -> Bench.Answer {
    let request = TokenOperation(account: "work", timeout: timeout)
    #expect(await bench.coordinator.tokenAtOnce(request, by: caller) == nil)
    let answer = Task { await bench.coordinator.token(request, by: caller) }
    await QueueExecutor.shared.settle()
    return answer
  }

  @Test func aYesCountsOnce() async throws {
    let bench = try await bench()
    let answer = await ask(bench)
    #expect(bench.prompt.asked == [ConfirmationQuestion(account: "work", program: Self.mail.program)])
    bench.prompt.answer(.yes)
    #expect(try await answer.value.get().token == Secret("at-1"))
    let again = await ask(bench)
    #expect(bench.prompt.asked.count == 2)
    bench.prompt.answer(.no)
    #expect(await again.value.error?.reason == "not_confirmed")
  }

  @Test func aYesIsRememberedForThatProgramAndForThatLong() async throws {
    let bench = try await bench(remembered: .seconds(100))
    let answer = await ask(bench)
    bench.prompt.answer(.yes)
    _ = await answer.value
    bench.clock.advance(.seconds(99))
    let request = TokenOperation(account: "work")
    #expect(await bench.coordinator.tokenAtOnce(request, by: Self.mail)?.error == nil)
    let other = await ask(bench, Self.git)
    #expect(bench.prompt.asked.count == 2)
    bench.prompt.answer(.no)
    _ = await other.value
    bench.clock.advance(.seconds(1))
    #expect(await bench.coordinator.tokenAtOnce(request, by: Self.mail) == nil)
  }

  @Test func aCrowdOfOneProgramOpensOneDialog() async throws {
    let bench = try await bench()
    var answers: [Bench.Answer] = []
    for _ in 0..<500 { answers.append(await ask(bench)) }
    #expect(bench.prompt.open == 1)
    bench.prompt.answer(.yes)
    for answer in answers { #expect(await answer.value.error == nil) }
    #expect(bench.prompt.asked.count == 1)
  }

  @Test func oneDialogIsOpenAtATime() async throws {
    let bench = try await bench()
    let (first, second) = (await ask(bench, Self.mail), await ask(bench, Self.git))
    #expect(bench.prompt.open == 1)
    bench.prompt.answer(.no)
    #expect(await first.value.code == .forbidden)
    await QueueExecutor.shared.settle()
    #expect(bench.prompt.asked.last?.program == Self.git.program)
    bench.prompt.answer(.yes)
    #expect(await second.value.error == nil)
  }

  @Test func aDialogThatNobodyWaitsForGoesAway() async throws {
    let bench = try await bench(remembered: .seconds(100))
    let answer = await ask(bench, timeout: 3)
    await bench.clock.run(.seconds(3))
    #expect(await answer.value.code == .timeout)
    await QueueExecutor.shared.settle()
    #expect(bench.prompt.open == 0)
    let next = await ask(bench)
    #expect(bench.prompt.asked.count == 2)
    bench.prompt.answer(.yes)
    #expect(await next.value.error == nil)
  }

  @Test func whereNobodyCanBeAskedTheReasonIsToldAtOnce() async throws {
    let bench = try await bench()
    let answer = await ask(bench)
    bench.prompt.answer(.impossible(.noDisplay, "there is no display"))
    let error = await answer.value.error
    #expect(error?.code == .forbidden)
    #expect(error?.reason == "no_display")
    #expect(error?.message == "work: there is no display")
  }

  @Test func aProgramThatMayNotAskOpensNoDialog() async throws {
    let bench = try await bench()
    let caller = Caller(confinement: .container)
    #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "work"), by: caller)?.code == .forbidden)
    #expect(await bench.coordinator.token(TokenOperation(account: "work"), by: caller).code == .forbidden)
    #expect(bench.prompt.asked.isEmpty)
  }

  @Test func aRememberedYesEndsWithThePolicy() async throws {
    let bench = try await bench(remembered: .seconds(100))
    let answer = await ask(bench)
    bench.prompt.answer(.yes)
    _ = await answer.value
    await configure(bench, .seconds(200))
    #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "work"), by: Self.mail) == nil)
  }

  @Test func aYesIsRememberedAsItWasAsked() async throws {
    let bench = try await bench(remembered: .seconds(100))
    let answer = await ask(bench)
    #expect(bench.prompt.asked.last?.lifetime == .seconds(100))
    await configure(bench, .seconds(200))
    bench.prompt.answer(.yes)
    #expect(await answer.value.error == nil)
    #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "work"), by: Self.mail) == nil)
    await configure(bench, .seconds(100))
    #expect(await bench.coordinator.tokenAtOnce(TokenOperation(account: "work"), by: Self.mail) == nil)
  }

  @Test func stoppingEndsTheQuestion() async throws {
    let bench = try await bench()
    let answer = await ask(bench)
    await bench.coordinator.stop()
    #expect(await answer.value.code == .shuttingDown)
    await QueueExecutor.shared.settle()
    #expect(bench.prompt.open == 0)
  }
}

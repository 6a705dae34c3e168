import Glibc
import KeyrackCore
import KeyrackSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventLoopTests {
  let thread: LoopThread
  var loop: EventLoop { thread.loop }

  init() async throws { thread = try await LoopThread() }

  @Test func runsJobsInTheOrderOfTheirArrival() async throws {
    let recorder = Recorder(loop)
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    for number in 0..<1000 {
      loop.perform {
        recorder.assumeIsolated { $0.numbers.append(number) }
        if number == 999 { continuation.finish() }
      }
    }
    for await _ in stream {}
    #expect(await recorder.numbers == Array(0..<1000))
  }

  @Test func losesNoJobOfManyThreads() async throws {
    let recorder = Recorder(loop)
    let total = 8 * 5000
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      for _ in 0..<8 {
        try? Thread.start("test-flood") { [loop] in
          for _ in 0..<5000 {
            loop.perform {
              recorder.assumeIsolated {
                $0.numbers.append(1)
                if $0.numbers.count == total { continuation.resume() }
              }
            }
          }
        }
      }
    }
    #expect(await recorder.numbers.count == total)
  }

  @Test func knowsTheBootAndItsAge() throws {
    let boot = try #require(loop.boot)
    #expect(boot.boot.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    #expect((time.tv_sec - 1...time.tv_sec).contains(boot.seconds))
  }

  @Test func isTheExecutorOfItsActors() async throws {
    let recorder = Recorder(loop)
    #expect(await recorder.isOnLoopThread())
  }

  @Test func keepsATaskThatPrefersItOnItsThread() async throws {
    let loop = loop
    #expect(await Task.detached(executorPreference: loop) { loop.isOnThread }.value)
  }

  @Test func aCallbackIsInsideOfItsActors() async throws {
    let recorder = Recorder(loop)
    await withCheckedContinuation { continuation in
      loop.perform {
        let timer = Box<EventLoop.Timer>()
        timer.value = EventLoop.Timer(recorder.loop) {
          recorder.assumeIsolated { $0.numbers.append(7) }
          timer.value = nil
          continuation.resume()
        }
        try? timer.value?.set(.now)
      }
    }
    #expect(await recorder.numbers == [7])
  }

  @Test func isOnNoOtherThread() { #expect(!loop.isOnThread) }

  @Test func aFloodOfJobsStarvesNoTimer() async throws {
    let recorder = Recorder(loop)
    let flood = Task { while !Task.isCancelled { await recorder.append(1) } }
    let endless = Endless(loop)
    endless.start()
    try await thread.sleep(.milliseconds(5))
    endless.stop()
    flood.cancel()
    #expect(await recorder.numbers.count > 0)
  }

  @Test func usesNoProcessorWhenIdle() async throws {
    // The thread's own clock: other tests run at the same time.
    let before = try await thread.run { _ in Self.threadTime() }
    try await thread.sleep(.milliseconds(200))
    let after = try await thread.run { _ in Self.threadTime() }
    #expect(after - before < .milliseconds(5))
  }

  @Test func returnsTheFirstStatusItIsStoppedWith() async throws {
    let loop = try EventLoop()
    let status = await withCheckedContinuation { continuation in
      try? Thread.start("test-status") { continuation.resume(returning: try? loop.run()) }
      loop.stop(3)
      loop.stop(4)
    }
    #expect(status == 3)
  }

  @Test func tellsOfSignals() async throws {
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let signals = try await thread.run { loop in
      LoopBound(try EventLoop.Signals(loop) { continuation.yield($0) }, on: loop)
    }
    // To the thread alone: others of this process do not block them.
    _ = try await thread.run { _ in [SIGHUP, SIGTERM].map { pthread_kill(pthread_self(), $0) } }
    var received: Set<Int32> = []
    for await signal in stream {
      received.insert(signal)
      if received.count == 2 { break }
    }
    #expect(received == [SIGHUP, SIGTERM])
    withExtendedLifetime(signals) {}
  }

  private static func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

@Suite(.timeLimit(.minutes(1)))
struct EventLoopTimerTests {
  let thread: LoopThread

  init() async throws { thread = try await LoopThread() }

  @Test func firesOnceAndNotEarly() async throws {
    let deadline = ContinuousClock.now + .milliseconds(20)
    let count = Atomic(0)
    let fired = try await thread.run { loop in
      let timer = EventLoop.Timer(loop) { count.add(1, ordering: .relaxed) }
      try timer.set(deadline)
      return LoopBound(timer, on: loop)
    }
    try await thread.loop.sleep(until: deadline + .milliseconds(20))
    #expect(count.load(ordering: .relaxed) == 1)
    withExtendedLifetime(fired) {}
  }

  @Test func canBeMovedBothWays() async throws {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    let timers = try await thread.run { loop in
      let later = EventLoop.Timer(loop) { continuation.yield("later") }
      let sooner = EventLoop.Timer(loop) { continuation.yield("sooner") }
      try later.set(.now + .milliseconds(1))
      try sooner.set(.now + .seconds(3600))
      try later.set(.now + .milliseconds(40))
      try sooner.set(.now + .milliseconds(10))
      return LoopBound([later, sooner], on: loop)
    }
    var order: [String] = []
    for await name in stream {
      order.append(name)
      if order.count == 2 { break }
    }
    #expect(order == ["sooner", "later"])
    withExtendedLifetime(timers) {}
  }

  @Test func aCanceledOneDoesNotFireUntilItIsSetAgain() async throws {
    let count = Atomic(0)
    let timer = try await thread.run { loop in
      let timer = EventLoop.Timer(loop) { count.add(1, ordering: .relaxed) }
      try timer.set(.now + .milliseconds(5))
      timer.cancel()
      return LoopBound(timer, on: loop)
    }
    try await thread.sleep(.milliseconds(20))
    #expect(count.load(ordering: .relaxed) == 0)
    try await thread.run { _ in try timer.value.set(.now) }
    try await thread.sleep(.milliseconds(5))
    #expect(count.load(ordering: .relaxed) == 1)
  }

  @Test func aReleasedOneDoesNotFire() async throws {
    let count = Atomic(0)
    try await thread.run { loop in
      try EventLoop.Timer(loop) { count.add(1, ordering: .relaxed) }.set(.now + .milliseconds(1))
    }
    try await thread.sleep(.milliseconds(10))
    #expect(count.load(ordering: .relaxed) == 0)
  }

  @Test func sleepEndsAtOnceWhenItsTaskIsCanceled() async throws {
    let thread = thread
    let start = ContinuousClock.now
    let task = Task { try await thread.sleep(.seconds(3600)) }
    try await thread.sleep(.milliseconds(5))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func sleepInACanceledTaskEndsAtOnce() async throws {
    let thread = thread
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await thread.sleep(.seconds(3600))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func aDeadlineThatHasPassedIsDueAtOnce() async throws {
    try await thread.loop.sleep(until: .now - .seconds(10))
  }
}

actor Recorder {
  let loop: EventLoop
  var numbers: [Int] = []
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func append(_ number: Int) { numbers.append(number) }
  func isOnLoopThread() -> Bool { loop.isOnThread }
}

private final class Box<Value> { var value: Value? }

/// A job that asks to be run again, for ever.
private final class Endless: Sendable {
  private let isStopped = Atomic(false)
  private let recorder: Recorder

  init(_ loop: EventLoop) { recorder = Recorder(loop) }

  func start() {
    Task { await self.again() }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func again() async {
    while !isStopped.load(ordering: .relaxed) {
      await recorder.append(0)
      await Task.yield()
    }
  }
}

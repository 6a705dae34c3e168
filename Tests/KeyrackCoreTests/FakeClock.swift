import KeyrackCore
import Synchronization

/// A clock that stands until the test moves it.
final class FakeClock: TimeSource {
  private struct State {
    var offset = Duration.zero
    /// By how much somebody has set the wall clock wrong.
    var error = 0
    var sleepers: [Int: (deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var canceled: Set<Int> = []
    var last = 0
  }

  private let start = ContinuousClock.now
  private let state = Mutex(State())

  var now: ContinuousClock.Instant { start + state.withLock { $0.offset } }
  var wall: Int { 1_000_000 + state.withLock { $0.error + Int($0.offset.components.seconds) } }
  var boot: BootTime? { BootTime(boot: "this", seconds: 500 + Int(state.withLock { $0.offset }.components.seconds)) }

  /// Sets the wall clock, and no other.
  func stepWall(by seconds: Int) { state.withLock { $0.error += seconds } }

  /// Lets that much time go by, from one thing that happens to the next.
  func run(_ duration: Duration) async {
    let end = now + duration
    await QueueExecutor.shared.settle()
    while let next = state.withLock({ $0.sleepers.values.map(\.deadline).min() }), next <= end {
      advance(next - now)
      await QueueExecutor.shared.settle()
    }
    advance(end - now)
    await QueueExecutor.shared.settle()
  }

  func advance(_ duration: Duration) {
    let due = state.withLock { state in
      state.offset += duration
      let now = start + state.offset
      // One after the other, as they would have woken.
      let due = state.sleepers.filter { $0.value.deadline <= now }
        .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      for (number, _) in due { state.sleepers[number] = nil }
      return due.map(\.value.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  func sleep(until deadline: ContinuousClock.Instant) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let end: Result<Void, any Error>? = state.withLock { state in
          if state.canceled.contains(number) { return .failure(CancellationError()) }
          if deadline <= start + state.offset { return .success(()) }
          state.sleepers[number] = (deadline, continuation)
          return nil
        }
        if let end { continuation.resume(with: end) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.canceled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

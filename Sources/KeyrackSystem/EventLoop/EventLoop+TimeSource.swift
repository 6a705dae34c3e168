import Glibc
import KeyrackCore

extension EventLoop: TimeSource {
  package var now: ContinuousClock.Instant { .now }
  package var wall: Int { time(nil) }

  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    let sleeper = LoopBound(Sleeper(), on: self)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        self.perform { sleeper.value.start(until: deadline, on: self, continuation) }
      }
    } onCancel: {
      self.perform { sleeper.value.cancel() }
    }
  }
}

/// One call of `sleep`. It may be canceled before it starts.
private final class Sleeper {
  private var timer: EventLoop.Timer?
  private var continuation: CheckedContinuation<Void, any Error>?
  private var isCanceled = false

  func start(
    until deadline: ContinuousClock.Instant, on loop: EventLoop, _ continuation: CheckedContinuation<Void, any Error>
  ) {
    if isCanceled { return continuation.resume(throwing: CancellationError()) }
    self.continuation = continuation
    let timer = EventLoop.Timer(loop) { self.finish(.success(())) }
    self.timer = timer
    do { try timer.set(deadline) } catch { finish(.failure(error)) }
  }

  func cancel() {
    isCanceled = true
    finish(.failure(CancellationError()))
  }

  private func finish(_ result: Result<Void, any Error>) {
    continuation?.resume(with: result)
    continuation = nil
    timer = nil
  }
}

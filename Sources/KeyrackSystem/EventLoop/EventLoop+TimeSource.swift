import FoundationEssentials
import Glibc
package import KeyrackCore

extension EventLoop: TimeSource {
  package var now: ContinuousClock.Instant { .now }
  package var wall: Int { time(nil) }
  package var boot: BootTime? {
    bootID.map { BootTime(boot: $0, seconds: Int(now.microsecondsSinceBoot / 1_000_000)) }
  }

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

private let bootID: String? = {
  let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
  return text.map { String($0.prefix { $0 != "\n" }) }
}()

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

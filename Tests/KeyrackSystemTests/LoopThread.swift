import Glibc
import KeyrackSystem

/// An event loop on a thread of its own, for one test.
final class LoopThread: Sendable {
  let loop: EventLoop

  init() async throws {
    loop = try await withCheckedThrowingContinuation { continuation in
      do {
        try Thread.start("test-loop") {
          // Made here, so that it never belongs to another thread.
          let loop = Result { try EventLoop() }
          continuation.resume(with: loop)
          _ = try? loop.get().run()
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  deinit { loop.stop() }

  /// Runs `body` on the loop's thread.
  func run<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) throws -> Value) async throws -> Value {
    let loop = loop
    return try await withCheckedThrowingContinuation { continuation in
      loop.perform { continuation.resume(with: Result { try body(loop) }) }
    }
  }

  func sleep(_ duration: Duration) async throws { try await loop.sleep(until: .now + duration) }
}

import Glibc

/// Runs what blocks on a thread of its own: two blocked tasks would stall all tests of a machine with two cores.
package enum BlockingThread {
  private final class Job {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  package static func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let job = Unmanaged.passRetained(Job(body)).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, job)
    precondition(code == 0, "no thread could be made")
    pthread_detach(thread)
  }

  package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      start { continuation.resume(with: Result(catching: body)) }
    }
  }
}

import Dispatch
import Synchronization

/// What coordinators and all fakes run on in tests: one queue, so that a test can wait until nothing is left to do.
final class QueueExecutor: SerialExecutor {
  static let shared = QueueExecutor()

  private let queue = DispatchQueue(label: "coordinator")
  /// Jobs that are queued or run.
  private let jobs = Atomic<Int>(0)

  func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

  func enqueue(_ job: UnownedJob) {
    jobs.add(1, ordering: .sequentiallyConsistent)
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      self.jobs.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  /// Returns when everything waits for a clock, a provider or a keyring. For tests with ``OneQueue``.
  func settle() async {
    while await !isIdle() {}
  }

  private func isIdle() async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.jobs.load(ordering: .sequentiallyConsistent) == 0) }
    }
  }
}

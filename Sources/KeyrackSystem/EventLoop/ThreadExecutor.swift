import Glibc

/// A thread of its own for an actor whose work blocks: its jobs run there one at a time, in the order in which they came.
/// A blocking call in an ordinary actor would take one of the few threads that all others share.
package final class ThreadExecutor: SerialExecutor {
  private let queue = JobQueue()

  /// `name` has at most 15 bytes.
  package init(name: String) throws(SystemError) {
    let queue = queue
    try Thread.start(name) { queue.run() }
  }

  deinit { queue.close() }

  package func enqueue(_ job: consuming ExecutorJob) {
    queue.append(UnownedJob(job), of: self)
  }
}

/// Jobs on their way to the thread. The thread holds this, not the executor, which can so end it by its own end.
// Unchecked: the jobs are only touched under the mutex, and the pointers never change.
@safe private final class JobQueue: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  /// Each holds its executor: the last one may release the actor, and the executor with it.
  private var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
  private var isClosed = false

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  func append(_ job: UnownedJob, of executor: ThreadExecutor) {
    unsafe pthread_mutex_lock(mutex)
    jobs.append((job, executor))
    unsafe pthread_cond_signal(changed)
    unsafe pthread_mutex_unlock(mutex)
  }

  func close() {
    unsafe pthread_mutex_lock(mutex)
    isClosed = true
    unsafe pthread_cond_signal(changed)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// The thread.
  func run() {
    while let (job, executor) = next() {
      unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor())
    }
  }

  private func next() -> (UnownedJob, ThreadExecutor)? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while jobs.isEmpty && !isClosed { unsafe pthread_cond_wait(changed, mutex) }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}

import Glibc

/// A thread of its own for an actor whose work blocks: its jobs run there one at a time, in the order in which they came.
/// A blocking call in an ordinary actor would take one of the few threads that all others share.
package final class ThreadExecutor: SerialExecutor {
  private let queue = JobQueue()

  /// The name is for debuggers; the system cuts it after 15 bytes.
  package init(name: String) {
    // Signals are the loop's business: the thread starts with all of them blocked.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let queue = unsafe Unmanaged.passRetained(queue).toOpaque()
    let failure = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument { unsafe Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, queue)
    guard failure == 0 else { fatalError("could not start a thread: error \(failure)") }
    unsafe pthread_setname_np(thread, name)
    pthread_detach(thread)
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

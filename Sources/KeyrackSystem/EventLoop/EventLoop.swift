import CSystemd
import Glibc
import Synchronization

/// The loop of the daemon: one thread that waits for descriptors, timers and signals, and the executor of the actors
/// that hold its state.
///
/// An actor names it as its `unownedExecutor`. A callback of the loop is then already inside of that actor and enters
/// it by `assumeIsolated`, without a hop. Nothing that blocks may run here.
///
/// It belongs to the thread that made it until ``run()`` is called, then to the caller of that.
@safe
package final class EventLoop: SerialExecutor, TaskExecutor {
  /// Jobs that run before descriptors and timers are looked at again, so that a flood of jobs starves neither.
  private static let jobsPerTurn = 64

  // Used on the loop's thread only; the pointer itself never changes.
  nonisolated(unsafe) let event: OpaquePointer
  private let inbox = Mutex(Inbox())
  private let owner: Atomic<pthread_t>
  private let wakeDescriptor: Int32
  // Touched on the loop's thread only, by `runJobs`.
  nonisolated(unsafe) private var turn = Turn()

  /// Blocks SIGTERM, SIGINT and SIGHUP in the calling thread: make it before any other thread, which inherits that.
  package init() throws(SystemError) {
    var event: OpaquePointer?
    unsafe try SystemError.check("make an event loop", sd_event_new(&event))
    guard let event = unsafe event else { throw SystemError("make an event loop", code: ENOMEM) }
    unsafe self.event = event
    owner = Atomic(pthread_self())
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    if wakeDescriptor < 0 { throw SystemError("make an eventfd", code: errno) }
    try prepare()
  }

  deinit {
    unsafe sd_event_unref(event)
    close(wakeDescriptor)
  }

  private func prepare() throws(SystemError) {
    // Edge-triggered: each write is one event, and nothing need be read. The callback has nothing to do.
    let events = EPOLLIN.rawValue | EPOLLET.rawValue
    unsafe try SystemError.check(
      "watch an eventfd", sd_event_add_io(event, nil, wakeDescriptor, events, { _, _, _, _ in 0 }, nil))
    // Does nothing where systemd asks for no watchdog.
    unsafe try SystemError.check("set up the watchdog", sd_event_set_watchdog(event, 1))
    blockSignals()
  }

  /// Runs on the calling thread until ``stop(_:)``, whose status it returns. Jobs that are left then never run.
  package func run() throws(SystemError) -> Int32 {
    owner.store(pthread_self(), ordering: .sequentiallyConsistent)
    while true {
      runJobs()
      let (status, mayWait) = inbox.withLock { unsafe $0.prepareToWait(unless: !turn.isFinished) }
      if let status { return status }
      unsafe try SystemError.check("wait for events", sd_event_run(event, mayWait ? .max : 0))
      inbox.withLock { $0.isAwake = true }
    }
  }

  /// Ends ``run()`` after the turn under way. From any thread; the first status counts.
  package func stop(_ status: Int32 = 0) {
    post { inbox in inbox.status = inbox.status ?? status }
  }

  /// Runs `body` on the loop's thread: at once when called there, else in order with the jobs.
  package func perform(_ body: @escaping @Sendable () -> Void) {
    if isOnThread { body() } else { post { $0.work.append(.call(body)) } }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    post { $0.work.append(.job(job)) }
  }

  private func post(_ change: (inout Inbox) -> Void) {
    let mustWake = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isAwake = true }
      return !inbox.isAwake
    }
    if mustWake { eventfd_write(wakeDescriptor, 1) }
  }

  private func runJobs() {
    for _ in 0..<Self.jobsPerTurn {
      if unsafe turn.isFinished { unsafe turn.begin(inbox.withLock { unsafe $0.take(replacement: turn.emptied()) }) }
      switch unsafe turn.next() {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .call(let body): body()
      case nil: return
      }
    }
  }
}

extension EventLoop {
  /// Whether the caller runs on the loop's thread.
  package var isOnThread: Bool { owner.load(ordering: .relaxed) == pthread_self() }

  package func isIsolatingCurrentContext() -> Bool? { isOnThread }
  package func checkIsolated() { precondition(isOnThread, "not on the thread of the event loop") }
}

/// What other threads hand to the loop.
private struct Inbox {
  var work: [Work] = []
  var status: Int32?
  /// False only while the loop waits, or is about to, and nobody has woken it.
  var isAwake = true

  mutating func take(replacement: [Work]) -> [Work] {
    if work.isEmpty { return replacement }
    defer { work = replacement }
    return work
  }

  mutating func prepareToWait(unless isBusy: Bool) -> (status: Int32?, mayWait: Bool) {
    let mayWait = !isBusy && work.isEmpty
    isAwake = !mayWait
    return (status, mayWait)
  }
}

private enum Work {
  case job(UnownedJob)
  case call(@Sendable () -> Void)
}

/// What the loop took out of the inbox. Both arrays keep their room.
private struct Turn {
  private var work: [Work] = []
  private var position = 0

  var isFinished: Bool { position == work.count }

  mutating func emptied() -> [Work] {
    defer { work = [] }
    work.removeAll(keepingCapacity: true)
    position = 0
    return work
  }

  mutating func begin(_ work: [Work]) { self.work = work }

  mutating func next() -> Work? {
    if isFinished { return nil }
    defer { position += 1 }
    return work[position]
  }
}

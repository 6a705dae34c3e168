/// One timer for the deadlines of all connections: it is armed for the earliest, and most of them are never reached.
final class DeadlineSweep {
  private let loop: EventLoop
  private let tolerance: Duration
  private var timer: EventLoop.Timer?
  private var due: ContinuousClock.Instant?

  /// `sweep` ends what is overdue and returns the earliest of the deadlines that are left.
  init(
    _ loop: EventLoop, tolerance: Duration, sweep: @escaping (ContinuousClock.Instant) -> ContinuousClock.Instant?
  ) {
    self.loop = loop
    self.tolerance = tolerance
    timer = EventLoop.Timer(loop) { [unowned self] in
      due = nil
      if let next = sweep(.now) { note(next) }
    }
  }

  /// Makes sure that there is a sweep at or soon after `deadline`. Cheap where there is one before it.
  func note(_ deadline: ContinuousClock.Instant) {
    if let due, due <= deadline + tolerance { return }
    // Later than asked, so that many deadlines close together cost one sweep.
    due = deadline + tolerance
    try? timer?.set(deadline + tolerance)
  }
}

import CSystemd
import Glibc

extension EventLoop {
  /// Calls its handler once at a time that can be set, moved and canceled. It counts suspend, and is late by a
  /// millisecond at most.
  ///
  /// To be used on the loop's thread only. Released on another one, it may still fire that moment.
  package final class Timer {
    private let loop: EventLoop
    private let handler: () -> Void
    private var source: Source?

    package init(_ loop: EventLoop, handler: @escaping () -> Void) {
      self.loop = loop
      self.handler = handler
    }

    deinit { if let source { loop.remove(source) } }

    package func set(_ time: ContinuousClock.Instant) throws(SystemError) {
      loop.checkIsolated()
      let microseconds = time.microsecondsSinceBoot
      guard let source else { return source = try makeSource(microseconds) }
      unsafe try SystemError.check("move a timer", sd_event_source_set_time(source.pointer, microseconds))
      let once = Int32(SD_EVENT_ONESHOT)
      unsafe try SystemError.check("arm a timer", sd_event_source_set_enabled(source.pointer, once))
    }

    package func cancel() {
      loop.checkIsolated()
      if let source { unsafe sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_OFF)) }
    }

    private func makeSource(_ microseconds: UInt64) throws(SystemError) -> Source {
      let handler = handler
      return unsafe try Source("set a timer", calling: { (_: Void) in handler() }) { pointer, callback in
        unsafe sd_event_add_time(
          loop.event, &pointer, CLOCK_BOOTTIME, microseconds, 1000,
          { _, _, callback in unsafe Source.call(callback, ()) }, callback)
      }
    }
  }
}

extension ContinuousClock.Instant {
  /// `CLOCK_BOOTTIME`, as libsystemd counts. Never zero, which it takes for "no time".
  var microsecondsSinceBoot: UInt64 {
    let (seconds, attoseconds) = ContinuousClock().systemEpoch.duration(to: self).components
    guard seconds >= 0, seconds < Int64.max / 1_000_000 else { return seconds < 0 ? 1 : .max - 1 }
    // Rounded up: a timer never fires early.
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000) + 1
  }
}

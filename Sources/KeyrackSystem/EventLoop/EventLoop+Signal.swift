import CSystemd
import Glibc

extension EventLoop {
  private static let signals = [SIGTERM, SIGINT, SIGHUP]

  /// In the calling thread and all that it starts; a child process inherits it too, unless its starter resets it.
  func blockSignals() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in Self.signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls its handler for each delivery of SIGTERM, SIGINT and SIGHUP.
  ///
  /// To be used on the loop's thread only. Released on another one, it may still call its handler that moment.
  package final class Signals {
    private let loop: EventLoop
    private var sources: [Source] = []

    /// Blocks the signals in the calling thread, without which they could not be watched.
    package init(_ loop: EventLoop, handler: @escaping (Int32) -> Void) throws(SystemError) {
      self.loop = loop
      loop.checkIsolated()
      loop.blockSignals()
      for signal in EventLoop.signals { sources.append(try Self.watch(signal, on: loop, handler)) }
    }

    deinit { for source in sources { loop.remove(source) } }

    private static func watch(
      _ signal: Int32, on loop: EventLoop, _ handler: @escaping (Int32) -> Void
    ) throws(SystemError) -> Source {
      unsafe try Source("watch signal \(signal)", calling: handler) { pointer, callback in
        unsafe sd_event_add_signal(
          loop.event, &pointer, signal,
          { _, info, callback in
            guard let info = unsafe info else { return 0 }
            return unsafe Source.call(callback, Int32(info.pointee.ssi_signo))
          }, callback)
      }
    }
  }
}

import Glibc
import KeyrackProtocol
import Synchronization

/// A file that is there while its token is good, and gone when the program is.
final class KeptTokenFile: Sendable {
  private struct State {
    var token: Secret?
    /// Nil where the token has none, or there is no token.
    var end: ContinuousClock.Instant?
  }

  private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private let file: TokenFile
  private let state = Mutex(State())

  init(_ file: TokenFile) { self.file = file }

  func write(_ token: Secret, until end: ContinuousClock.Instant?) throws(CommandFailure) {
    try state.withLock { state throws(CommandFailure) in
      if state.token != token { try file.write(token.bytes) }
      state = State(token: token, end: end)
    }
  }

  /// What was there before is left alone.
  func remove() { state.withLock { empty(&$0) } }

  func removeIfExpired() {
    state.withLock { if let end = $0.end, end <= .now { empty(&$0) } }
  }

  private func empty(_ state: inout State) {
    if state.token != nil { file.remove() }
    state = State()
  }

  /// From now on signals that end the program do it once the file is gone, by a thread that waits for them.
  func endWithSignals() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in Self.endings { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    var thread = pthread_t()
    let own = unsafe Unmanaged.passRetained(self).toOpaque()
    unsafe pthread_create(
      &thread, nil,
      { own in
        if let own = unsafe own { unsafe Unmanaged<KeptTokenFile>.fromOpaque(own).takeRetainedValue().end() }
        return nil
      }, own)
  }

  private func end() -> Never {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in Self.endings { unsafe sigaddset(&set, number) }
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    // Never given back: nothing is written any more.
    state.withLock { state in
      empty(&state)
      // So that who waits for the program sees the signal.
      unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
      raise(number)
    }
    exit(128 + number)
  }
}

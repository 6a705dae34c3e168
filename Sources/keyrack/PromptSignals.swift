import Glibc
import Synchronization

/// The last signal that came during a prompt, 0 for none. A signal handler may touch nothing but such a number.
private let lastSignal = Atomic<Int32>(0)

/// Signals that would end or stop the program, held back while it changes the terminal.
///
/// They come only within ``wait(for:)``, so none is lost between a look at ``taken()`` and the wait.
struct PromptSignals: ~Copyable {
  private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  private var before = sigset_t()
  private var actions: [sigaction] = []

  init() {
    lastSignal.store(0, ordering: .relaxed)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in Self.caught { unsafe sigaddset(&set, number) }
    unsafe sigprocmask(SIG_BLOCK, &set, &before)
    for number in Self.caught {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { lastSignal.store($0, ordering: .relaxed) }
      var old = sigaction()
      unsafe sigaction(number, &action, &old)
      actions.append(old)
    }
  }

  /// What was in force before is in force again, and what was held back comes now.
  consuming func restore() {
    for (number, action) in zip(Self.caught, actions) {
      var action = action
      unsafe sigaction(number, &action, nil)
    }
    unsafe sigprocmask(SIG_SETMASK, &before, nil)
  }

  /// The signal that came since the last call, if one did.
  func taken() -> Int32? {
    let number = lastSignal.exchange(0, ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Whether there is something to read; false where a signal came instead.
  func wait(for descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var mask = before
    // Whoever started this may hold all of them back, as programs do in their worker threads.
    for number in Self.caught { unsafe sigdelset(&mask, number) }
    return unsafe ppoll(&entry, 1, nil, &mask) > 0
  }
}

import Glibc

/// Signals that would end the program between two steps that belong together. They come when they are released.
struct HeldSignals {
  private let before: sigset_t

  init() {
    var set = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    self.before = before
  }

  func release() {
    var before = before
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

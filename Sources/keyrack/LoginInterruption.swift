import Glibc
import KeyrackClient
import KeyrackProtocol
import Synchronization

/// The account whose sign-in Ctrl-C ends; nil until the thread that waits for Ctrl-C was started.
private let interrupted = Mutex<String?>(nil)

/// Whether Ctrl-C came: then the thread that took it ends the program.
private let isInterrupted = Atomic<Bool>(false)

/// Ctrl-C while a sign-in waits: the daemon is told, and the program ends as the signal would have ended it.
struct LoginInterruption {
  private let account: String

  init(account: String) {
    self.account = account
    // Before the thread starts, which inherits it.
    Self.mask(SIG_BLOCK)
    let isFirst = interrupted.withLock { last in
      defer { last = account }
      return last == nil
    }
    if isFirst { Self.startWaiting() }
  }

  func cancel() { Self.cancel(account) }

  /// From now on the signal does what it usually does. Does not return where it has come: the sign-in has ended for that
  /// reason, and its error is not what the program ends with.
  func end() {
    while isInterrupted.load(ordering: .acquiring) { pause() }
    Self.mask(SIG_UNBLOCK)
  }

  private static func cancel(_ account: String) {
    _ = try? Client().answer(to: CancelOperation(account: account), within: .seconds(2))
  }

  /// A thread of its own, as the program waits for the daemon meanwhile. It ends with the program.
  private static func startWaiting() {
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { _ in
        var set = LoginInterruption.signals
        var number: Int32 = 0
        unsafe sigwait(&set, &number)
        isInterrupted.store(true, ordering: .releasing)
        let account = interrupted.withLock { $0 }
        if let account { LoginInterruption.cancel(account) }
        Output.failure(
          CommandFailure(
            status: 128 + number, "interrupted: the sign-in was canceled", hint: account.map { "keyrack login \($0)" }))
        exit(128 + number)
      }, nil)
  }

  private static func mask(_ how: Int32) {
    var set = signals
    unsafe pthread_sigmask(how, &set, nil)
  }

  private static var signals: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGINT)
    return set
  }
}

import Glibc
import KeyrackClient
import KeyrackProtocol
import Synchronization

/// The account whose sign-in Ctrl-C ends; nil until the thread that sees to it was started.
private let account = Mutex<String?>(nil)

/// Where the signal handler leaves word: it may do no more than write.
private let wakeUp = Atomic<Int32>(-1)

/// Whether Ctrl-C came: then the thread that was told ends the program.
private let isInterrupted = Atomic<Bool>(false)

/// Ctrl-C while a sign-in waits: the daemon is told, and the program ends as the signal would have ended it.
///
/// A prompt has handlers of its own meanwhile, see ``PromptSignals``: there Ctrl-C ends the prompt.
struct LoginInterruption {
  private let name: String
  private var before = sigaction()

  init(account name: String) throws(CommandFailure) {
    self.name = name
    let isFirst = account.withLock { last in
      defer { last = name }
      return last == nil
    }
    if isFirst { try Self.startWaiting() }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in
      isInterrupted.store(true, ordering: .sequentiallyConsistent)
      var byte: UInt8 = 0
      unsafe write(wakeUp.load(ordering: .relaxed), &byte, 1)
    }
    unsafe sigaction(SIGINT, &action, &before)
  }

  func cancel() { Self.cancel(name) }

  /// From now on the signal does what it usually does. Does not return where it has come: the sign-in has ended for that
  /// reason, and its error is not what the program ends with.
  func end() {
    while isInterrupted.load(ordering: .sequentiallyConsistent) { pause() }
    var before = before
    unsafe sigaction(SIGINT, &before, nil)
  }

  private static func cancel(_ name: String) {
    _ = try? Client().answer(to: CancelOperation(account: name), within: .seconds(2))
  }

  /// A thread of its own, as the program waits for the daemon meanwhile. It ends with the program, and takes no signal: a
  /// prompt would not be woken by one that came here.
  private static func startWaiting() throws(CommandFailure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
      throw CommandFailure(status: 1, "could not open a pipe: \(unsafe String(cString: strerror(errno)))")
    }
    wakeUp.store(ends[1], ordering: .relaxed)
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let reading = unsafe UnsafeMutableRawPointer(bitPattern: Int(ends[0]))
    unsafe pthread_create(&thread, nil, { unsafe LoginInterruption.wait(Int32(Int(bitPattern: $0))) }, reading)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private static func wait(_ pipe: Int32) -> UnsafeMutableRawPointer? {
    var byte: UInt8 = 0
    while unsafe read(pipe, &byte, 1) < 0 && errno == EINTR {}
    let name = account.withLock { $0 }
    if let name { cancel(name) }
    let status = 128 + SIGINT
    Output.failure(
      CommandFailure(
        status: status, "interrupted: the sign-in was canceled", hint: name.map { "keyrack login \($0)" }))
    exit(status)
  }
}

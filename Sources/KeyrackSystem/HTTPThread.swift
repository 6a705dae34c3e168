import CSystemd
import Glibc

/// The thread that libcurl lives on.
struct HTTPThread: Sendable {
  private let id: pthread_t

  init(queue: TransferQueue) throws(HTTPClientError) {
    // Signals are for the event loop, and the SIGPIPE of a dead connection is for nobody: the thread inherits this mask.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

    var id = pthread_t()
    let argument = unsafe Unmanaged.passRetained(queue)
    let code = unsafe pthread_create(
      &id, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let queue = unsafe Unmanaged<TransferQueue>.fromOpaque(argument).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), "http")
        TransferLoop(queue: queue).run()
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      unsafe argument.release()
      throw HTTPClientError(message: "could not start the HTTP thread: \(unsafe String(cString: strerror(code)))")
    }
    self.id = id
  }

  /// Once.
  func join() { pthread_join(id, nil) }
}

import Glibc

/// A thread for what blocks: it must not do so in a `Task`.
package enum Thread {
  /// `name` has at most 15 bytes. Ends when `body` returns; nobody waits for it.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), start.name)
        start.body()
        return nil
      }, start.toOpaque())
    if code != 0 {
      unsafe start.release()
      throw SystemError("start thread \(name)", code: code)
    }
    pthread_detach(thread)
  }

  /// What `body` comes to, on a thread of its own.
  static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Value
  ) async -> Result<Value, SystemError> {
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try start(name) { continuation.resume(returning: .success(body())) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

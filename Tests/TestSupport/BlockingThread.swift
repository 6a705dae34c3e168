import Glibc

/// A thread of its own for a call that blocks: two of them would use up the pool of a machine with two processors.
final class BlockingThread {
  private let body: @Sendable () -> Void

  private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  static func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(BlockingThread(body)).toOpaque()
    let failure = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<BlockingThread>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context)
    precondition(failure == 0, "could not start a thread")
    pthread_detach(thread)
  }
}

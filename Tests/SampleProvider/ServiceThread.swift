import Glibc

/// A thread of its own for work that blocks.
final class ServiceThread {
  private let body: @Sendable () -> Void

  private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  static func start(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 512 << 10)
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(ServiceThread(body))
    let failure = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<ServiceThread>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    if failure != 0 {
      complain("could not start a thread: \(String(cString: strerror(failure)))")
      exit(1)
    }
  }
}

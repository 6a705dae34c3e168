import CSystemd
import Glibc

/// Lets one thread end the waiting of another.
final class HookCancellation: Sendable {
  /// Becomes readable, and stays so.
  let descriptor: Int32

  init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC))
    if descriptor < 0 { throw SystemError("make an eventfd", code: errno) }
  }

  deinit { close(descriptor) }

  func cancel() { eventfd_write(descriptor, 1) }
}

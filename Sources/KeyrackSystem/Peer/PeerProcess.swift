import CSystemd
import Glibc
package import KeyrackCore

/// The process that connected, as the kernel recorded at `connect`, and a handle that tells for as long as this lives
/// whether it is still there: nobody else gets its number until then, and nobody else is taken for it afterwards.
package final class PeerProcess: Sendable {
  package let user: UInt32
  /// 0 where it cannot be seen from here.
  package let number: Int32
  package let evidence: Caller.Evidence
  /// A pidfd; -1 where there is none.
  private let handle: Int32

  package enum Failure: Error {
    /// The kernel does not say who it is.
    case unknown
    /// It is the descriptors that ran out, of this process or of the machine.
    case noDescriptors
  }

  /// `usesPeerHandle` is false for a kernel older than Linux 6.5, where the process is found by its number alone.
  package init(connectedTo descriptor: Int32, usesPeerHandle: Bool = true) throws(Failure) {
    var credentials = ucred()
    var size = socklen_t(MemoryLayout<ucred>.size)
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    guard result == 0, size == MemoryLayout<ucred>.size else { throw .unknown }
    user = credentials.uid
    number = credentials.pid
    (handle, evidence) = try Self.handle(of: descriptor, number: number, usesPeerHandle: usesPeerHandle)
  }

  deinit { if handle >= 0 { close(handle) } }

  /// Whether it has not ended. False where nobody can tell.
  package var isAlive: Bool {
    guard handle >= 0 else { return false }
    var request = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    // A pidfd is readable from the end of its process on.
    return unsafe poll(&request, 1, 0) == 0
  }

  private static func handle(
    of descriptor: Int32, number: pid_t, usesPeerHandle: Bool
  ) throws(Failure) -> (Int32, Caller.Evidence) {
    guard number > 0 else { return (-1, .none) }
    if usesPeerHandle {
      var handle: Int32 = -1
      var size = socklen_t(MemoryLayout<Int32>.size)
      if unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERPIDFD, &handle, &size) == 0 {
        // The kernel has set close-on-exec.
        return (handle, .pidfd)
      }
      if errno == EMFILE || errno == ENFILE { throw .noDescriptors }
      guard errno == ENOPROTOOPT else { return (-1, .none) }
    }
    let handle = pidfd_open(number, 0)
    if handle < 0, errno == EMFILE || errno == ENFILE { throw .noDescriptors }
    return handle < 0 ? (-1, .none) : (handle, .number)
  }
}

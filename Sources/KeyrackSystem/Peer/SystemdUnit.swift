import CSystemd
import Glibc

/// The unit that the control group of a process names. Any program of the user can start itself in a unit of any name.
struct SystemdUnit: Sendable {
  let name: String
  /// Whether it is one of the user's own manager.
  let isOfUser: Bool

  /// Nil where it is in none. Throws where descriptors have run out: then nobody knows.
  init?(of process: pid_t) throws(PeerProcess.Failure) {
    if let name = unsafe try Self.name({ unsafe sd_pid_get_user_unit(process, $0) }) {
      (self.name, isOfUser) = (name, true)
    } else if let name = unsafe try Self.name({ unsafe sd_pid_get_unit(process, $0) }) {
      (self.name, isOfUser) = (name, false)
    } else {
      return nil
    }
  }

  private static func name(
    _ get: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) throws(PeerProcess.Failure) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let result = unsafe get(&text)
    if result == -EMFILE || result == -ENFILE { throw .noDescriptors }
    guard result >= 0, let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}

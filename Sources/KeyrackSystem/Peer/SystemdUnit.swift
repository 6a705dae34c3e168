import CSystemd
import Glibc

/// The unit that the control group of a process names. Any program of the user can start itself in a unit of any name.
struct SystemdUnit: Sendable {
  let name: String
  /// Whether it is one of the user's own manager.
  let isOfUser: Bool

  /// Nil where it is in none.
  init?(of process: pid_t) {
    if let name = unsafe Self.name({ unsafe sd_pid_get_user_unit(process, $0) }) {
      (self.name, isOfUser) = (name, true)
    } else if let name = unsafe Self.name({ unsafe sd_pid_get_unit(process, $0) }) {
      (self.name, isOfUser) = (name, false)
    } else {
      return nil
    }
  }

  private static func name(_ get: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe get(&text) >= 0, let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}

import CSystemd
import Glibc
import KeyrackProtocol

/// What the daemon tells systemd, sd_notify(3). Nothing happens where nobody asked to be told.
package enum ServiceManager {
  /// The socket answers and the configuration is read.
  package static func ready(_ status: String) { notify("READY=1\nSTATUS=\(status.printable)") }
  package static func status(_ status: String) { notify("STATUS=\(status.printable)") }

  /// Followed by ``ready(_:)``.
  package static func reloading() {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    notify("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  package static func stopping() { notify("STOPPING=1") }

  private static func notify(_ state: String) { unsafe sd_notify(0, state) }
}

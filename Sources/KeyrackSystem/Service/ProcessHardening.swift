import CSystemd
import Glibc

/// What a process that holds tokens does first of all.
package enum ProcessHardening {
  /// Nobody of the same user can trace it or read its memory, no core is written, files are the owner's alone, and a
  /// client that has gone is an error and no signal. The limit of descriptors is raised to the highest allowed, which
  /// is harmless where nothing uses `select`.
  package static func apply() {
    keyrack_set_not_dumpable()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    var files = rlimit()
    if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 {
      files.rlim_cur = files.rlim_max
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    }
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
  }
}

import Glibc

/// A password or a token may be in memory, and a core dump keeps memory on disk.
enum CoreDumps {
  private static let usual: rlimit = {
    var limit = rlimit()
    _ = unsafe getrlimit(RLIMIT_CORE, &limit)
    return limit
  }()

  static func forbid() { set(rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)) }

  /// As whoever started this program has it.
  static func restore() { set(usual) }

  private static func set(_ limit: rlimit) {
    var limit = limit
    _ = unsafe setrlimit(RLIMIT_CORE, &limit)
  }
}

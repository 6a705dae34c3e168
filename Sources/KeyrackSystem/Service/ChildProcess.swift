import CSystemd
import Glibc

/// How a program is started that is no part of the daemon: with the two descriptors that it is to have, our standard
/// error, and none of what is open here.
enum ChildProcess {
  /// systemd's messages are for the daemon alone.
  private static let ours: Set = [
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
  ]

  /// A descriptor that is nil stands for `/dev/null`. Throws a value of errno.
  static func start(
    _ path: String, _ arguments: [String] = [], environment: [String: String], standardInput: Int32? = nil,
    standardOutput: Int32? = nil
  ) throws(StartError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe Self.add(standardInput, as: 0, O_RDONLY, to: &actions)
    unsafe Self.add(standardOutput, as: 1, O_WRONLY, to: &actions)
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    Self.isolate(&attributes)
    let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.filter { !ours.contains($0.key) }.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let failure = unsafe posix_spawn(&pid, path, &actions, &attributes, words, variables)
    guard failure == 0 else { throw StartError(code: failure) }
    return pid
  }

  struct StartError: Error {
    /// A value of errno.
    let code: Int32
  }

  private static func add(
    _ descriptor: Int32?, as number: Int32, _ mode: Int32, to actions: inout posix_spawn_file_actions_t
  ) {
    if let descriptor {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
    }
  }

  /// A group of its own: what is typed at a daemon started by hand is not meant for it. No signal blocked, and SIGPIPE not
  /// ignored, as ours are.
  private static func isolate(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// Waits for its end; its exit status, or 128 and the signal that ended it.
  static func reap(_ pid: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}

import FoundationEssentials
import Glibc
import KeyrackCore

/// Where tests end the daemon as a crash would: at the step of a refresh that `KEYRACK_CRASH_AT` names. Not in what is
/// built for release.
enum CrashPoint {
  #if DEBUG
    private static let step = ProcessInfo.processInfo.environment["KEYRACK_CRASH_AT"].flatMap(RefreshStep.init)

    static func reached(_ step: RefreshStep) {
      if step == Self.step { kill(getpid(), SIGKILL) }
    }
  #else
    static func reached(_ step: RefreshStep) {}
  #endif
}

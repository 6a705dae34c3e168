import Foundation
import Glibc

/// How much of a processor a process has used up.
struct ProcessTime {
  let used: Duration
  let at = ContinuousClock.now

  init(of pid: Int32) throws {
    let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // After PID (NAME): of what follows, the 12th and 13th are user and system time.
    let fields = (text.split(separator: ")").last ?? "").split(separator: " ")
    let ticks = fields[11...12].compactMap { Int($0) }.reduce(0, +)
    used = .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }
}

import Foundation
import Glibc
import Synchronization
import TestSupport

/// Looks again and again at the command lines and environments of all processes of a session, for as long as it lives.
final class ProcessWatch: Sendable {
  private let session: String
  private let isOver = Atomic(false)
  private let seen = Mutex<[String: Int]>([:])

  init(_ session: PrivateSession) {
    self.session = session.path
    BlockingThread.start { [self] in
      while !isOver.load(ordering: .relaxed) {
        look()
        usleep(2000)
      }
    }
  }

  /// A command line and an environment each, by what was seen so far.
  func stop() -> [String] {
    isOver.store(true, ordering: .relaxed)
    return seen.withLock { Array($0.keys) }
  }

  private func look() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard Int32(name) != nil, Int32(name) != getpid() else { continue }
      let environment = Self.text("/proc/\(name)/environ")
      guard environment.contains(session) else { continue }
      let all = Self.text("/proc/\(name)/cmdline") + "\n" + environment
      seen.withLock { $0[all, default: 0] += 1 }
    }
  }

  private static func text(_ path: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
  }
}

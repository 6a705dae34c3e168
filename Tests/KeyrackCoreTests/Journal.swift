import Synchronization

/// What several fakes were asked to do, in the order in which it was done.
final class Journal: Sendable {
  private let entries = Mutex<[String]>([])

  var lines: [String] { entries.withLock { $0 } }
  func note(_ line: String) { entries.withLock { $0.append(line) } }
}

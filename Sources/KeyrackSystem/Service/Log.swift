import CSystemd
import Glibc
package import KeyrackCore
import Synchronization

/// The journal, where standard error leads there, else lines on standard error.
///
/// Both can block; so a thread of its own writes, and what comes faster than that is counted and dropped.
package final class Log: EventLog {
  private static let capacity = 1024

  private let queue = Mutex(Queue())
  private let wake: Int32
  private let isJournal: Bool

  private struct Queue {
    var entries: [LogEntry] = []
    var dropped = 0
    var isWriting = false
  }

  package init() throws(SystemError) {
    isJournal = Self.standardErrorIsJournal()
    wake = eventfd(0, Int32(EFD_CLOEXEC))
    if wake < 0 { throw SystemError("make an eventfd", code: errno) }
    try Thread.start("log") { self.write() }
  }

  package func record(_ event: Event) {
    let entry = LogEntry(event)
    let isFirst = queue.withLock { queue in
      guard queue.entries.count < Self.capacity else {
        queue.dropped += 1
        return false
      }
      queue.entries.append(entry)
      return queue.entries.count == 1
    }
    if isFirst { eventfd_write(wake, 1) }
  }

  /// Waits until all is written, a second at most; for the end of the process.
  package func flush() {
    for _ in 0..<1000 {
      if queue.withLock({ $0.entries.isEmpty && !$0.isWriting }) { return }
      usleep(1000)
    }
  }

  private func write() {
    while true {
      var count: eventfd_t = 0
      guard unsafe eventfd_read(wake, &count) == 0 || errno == EINTR else { return }
      let (entries, dropped) = queue.withLock { queue in
        defer { queue = Queue(isWriting: true) }
        return (queue.entries, queue.dropped)
      }
      for entry in entries { entry.write(toJournal: isJournal) }
      if dropped > 0 {
        var event = Event(.logOverflow, "\(dropped) messages came too fast and are lost")
        event.count = dropped
        LogEntry(event).write(toJournal: isJournal)
      }
      queue.withLock { $0.isWriting = false }
    }
  }

  /// `$JOURNAL_STREAM` holds device and inode of the stream that systemd connected.
  private static func standardErrorIsJournal() -> Bool {
    guard let stream = unsafe getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }
}

import FoundationEssentials
package import KeyrackCore
import Synchronization

/// Hands events to the command of `on_event`: one after the other, in the order in which they came.
package final class EventCommand: EventHook {
  /// Of more that wait the oldest are dropped.
  package static let capacity = 64

  private struct Delivery {
    let line: [UInt8]
    let command: String
  }

  private struct Queue {
    var waiting: [Delivery] = []
    var dropped = 0
    var isRunning = false
    /// What the command failed with the last time; nil: it did not.
    var failure: String?
  }

  private let queue = Mutex(Queue())
  private let log: any EventLog
  private let environment: [String: String]
  private let limit: Duration

  /// `limit` is how long the command may take for one event.
  package init(
    log: any EventLog, environment: [String: String] = ProcessInfo.processInfo.environment,
    limit: Duration = .seconds(30)
  ) {
    self.log = log
    self.environment = environment
    self.limit = limit
  }

  package func tell(_ line: [UInt8], to command: String) {
    let isFirst = queue.withLock { queue in
      if queue.waiting.count == Self.capacity {
        queue.waiting.removeFirst()
        queue.dropped += 1
      }
      queue.waiting.append(Delivery(line: line, command: command))
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    if isFirst { Task { await deliver() } }
  }

  private func deliver() async {
    while let delivery = next() { noteEnd(await failure(of: delivery)) }
  }

  private func next() -> Delivery? {
    let (delivery, dropped) = queue.withLock { queue in
      defer { queue.dropped = 0 }
      queue.isRunning = !queue.waiting.isEmpty
      return (queue.isRunning ? queue.waiting.removeFirst() : nil, queue.dropped)
    }
    if dropped > 0 {
      var event = Event(.noticeFailed, "\(dropped) events were dropped: the on_event command is too slow for them")
      event.count = dropped
      log.record(event)
    }
    return delivery
  }

  /// Nil where all was well.
  private func failure(of delivery: Delivery) async -> String? {
    let hook = Hook(
      name: "event", words: ["/bin/sh", "-c", delivery.command], input: delivery.line, keepsOutput: false, limit: limit)
    do throws(Hook.Failure) {
      let status = try await hook.run(in: .current(environment)).status
      return status == 0 ? nil : "has failed, with status \(status)"
    } catch {
      return error.message
    }
  }

  /// A command that fails in the same way with each event is told once.
  private func noteEnd(_ failure: String?) {
    let last = queue.withLock { queue in
      defer { queue.failure = failure }
      return queue.failure
    }
    if let failure, failure != last { log.record(Event(.noticeFailed, "the on_event command \(failure)")) }
  }
}

import KeyrackCore
import Synchronization

/// Keeps what was logged.
final class FakeLog: EventLog {
  private let all = Mutex<[Event]>([])

  var events: [Event] { all.withLock { $0 } }
  func record(_ event: Event) { all.withLock { $0.append(event) } }

  func events(_ kind: Event.Kind) -> [Event] { events.filter { $0.kind == kind } }
}

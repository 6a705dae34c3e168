import KeyrackCore
import KeyrackProtocol
import Synchronization

/// The kinds of the events that a subscriber got.
final class Events: Sendable {
  private let received = Mutex<[SessionEvent.Kind]>([])

  var kinds: [SessionEvent.Kind] { received.withLock { $0 } }

  var sink: AnswerSink {
    AnswerSink { line in
      if case .event(let bytes) = line, let event = SessionEvent(line: bytes) {
        self.received.withLock { $0.append(event.event) }
      }
      return true
    }
  }
}

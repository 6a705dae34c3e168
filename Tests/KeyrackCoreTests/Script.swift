import KeyrackCore
import KeyrackProtocol
import Synchronization

/// Answers one after the other, and the last one for ever.
final class Script: Sendable {
  private let outcomes: Mutex<[TokenOutcome]>

  init(_ outcomes: [TokenOutcome]) { self.outcomes = Mutex(outcomes) }

  func next() -> TokenOutcome { outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
  func becomes(_ outcomes: TokenOutcome...) { self.outcomes.withLock { $0 = outcomes } }
}

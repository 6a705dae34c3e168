import KeyrackCore
import KeyrackProtocol

actor FakeIntents: RefreshIntents {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  private(set) var intents: [RefreshIntent]
  private(set) var added: [RefreshIntent] = []
  private let journal: Journal?
  private var isHolding = false
  private var held: [CheckedContinuation<Void, Never>] = []

  init(_ intents: [RefreshIntent] = [], journal: Journal? = nil) {
    self.intents = intents
    self.journal = journal
  }

  /// Removing one takes until ``release()``.
  func hold() { isHolding = true }
  func release() {
    isHolding = false
    for continuation in held { continuation.resume() }
    held = []
  }

  func add(_ intent: RefreshIntent) throws(StateError) {
    intents.removeAll { $0.session == intent.session }
    intents.append(intent)
    added.append(intent)
    journal?.note("add intent")
  }
  func remove(of session: SessionID) async {
    if isHolding { await withCheckedContinuation { held.append($0) } }
    intents.removeAll { $0.session == session }
    journal?.note("remove intent")
  }
  func removeAll() { intents = [] }
  func interrupted() -> [RefreshIntent] { intents }
}

import KeyrackCore
import KeyrackProtocol

actor FakeEndedSessions: EndedSessions {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  private(set) var notes: [EndedSession]

  init(_ notes: [EndedSession] = []) { self.notes = notes }

  func add(_ note: EndedSession) throws(StateError) { notes.append(note) }
  func remove(_ note: EndedSession) { notes.removeAll { $0 == note } }
  func removeAll() { notes = [] }
  func all() -> [EndedSession] { notes }
}

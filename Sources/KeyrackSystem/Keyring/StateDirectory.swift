import FoundationEssentials
import Glibc
package import KeyrackCore

/// Notes that must survive the daemon and are no secret: in the state directory, a small file each. Writing them blocks, on
/// a thread of its own.
package actor StateDirectory: EndedSessions, RefreshIntents {
  private let thread: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  private let path: String
  private let ended: NoteFolder<EndedSession>
  private let intents: NoteFolder<RefreshIntent>
  private let digest = GLibDigest()

  /// `$XDG_STATE_HOME/keyrack`, else `~/.local/state/keyrack`. The XDG specification has a relative path ignored.
  package static func defaultPath(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/keyrack" }
    return "\(environment["HOME"] ?? "/")/.local/state/keyrack"
  }

  /// Made with the first note. Throws where no thread can be started.
  package init(path: String = StateDirectory.defaultPath(), log: any EventLog) throws(SystemError) {
    thread = try ThreadExecutor(name: "state")
    self.path = path
    ended = NoteFolder(parent: path, name: "ended", log: log)
    intents = NoteFolder(parent: path, name: "intents", log: log)
  }

  /// Of both kinds, and the directory where nobody else has put anything there.
  package func removeAll() {
    ended.removeAll()
    intents.removeAll()
    unsafe rmdir(path)
  }

  // MARK: Ended sessions

  package func add(_ note: EndedSession) throws(StateError) { try ended.write(note, name: fileName(note)) }
  package func remove(_ note: EndedSession) { ended.remove(fileName(note), durably: true) }
  package func all() -> [EndedSession] { ended.all() }

  private func fileName(_ note: EndedSession) -> String {
    digest.sha256(Array("\(note.account)\n\(note.session?.description ?? "")\n\(note.at)".utf8))
  }

  // MARK: Intents

  package func add(_ intent: RefreshIntent) throws(StateError) {
    try intents.write(intent, name: intent.session.description)
  }

  /// One that comes back after a power failure does no harm: the record tells that it is old.
  package func remove(of session: SessionID) { intents.remove(session.description, durably: false) }

  package func interrupted() -> [RefreshIntent] { intents.all() }
}

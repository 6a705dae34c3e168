import CSystemd
import FoundationEssentials
import Glibc
package import KeyrackCore
import KeyrackProtocol

/// Notes that must survive the daemon and are no secret: a small file each, under `ended` in the state directory.
package actor StateDirectory: EndedSessions {
  private let path: String
  private let log: any EventLog
  private let digest = GLibDigest()

  /// `$XDG_STATE_HOME/keyrack`, else `~/.local/state/keyrack`. The XDG specification has a relative path ignored.
  package static func defaultPath(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/keyrack" }
    return "\(environment["HOME"] ?? "/")/.local/state/keyrack"
  }

  /// Made with the first note.
  package init(path: String = StateDirectory.defaultPath(), log: any EventLog) {
    self.path = path
    self.log = log
  }

  package func add(_ note: EndedSession) async throws(EndedSessionsError) {
    let directory = try openNotes(creating: true)
    defer { close(directory) }
    do {
      let name = fileName(note)
      try write(JSONObjectWriter.text(of: note), to: ".\(name)", in: directory)
      try Self.check(unsafe renameat(directory, ".\(name)", directory, name))
      try Self.check(fsync(directory))
    } catch {
      throw EndedSessionsError(message: "could not write to \(notes): \(Self.reason(error))")
    }
  }

  package func remove(_ note: EndedSession) async {
    guard let directory = try? openNotes(creating: false) else { return }
    defer { close(directory) }
    unsafe unlinkat(directory, fileName(note), 0)
    fsync(directory)
  }

  package func all() async -> [EndedSession] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: notes) else { return [] }
    do throws(EndedSessionsError) {
      let directory = try openNotes(creating: false)
      defer { close(directory) }
      // A note whose name begins with a dot was never completed.
      return names.sorted().filter { !$0.hasPrefix(".") }.compactMap { read($0, in: directory) }
    } catch {
      log.record(.error, "state_unreadable", account: nil, error.message)
      return []
    }
  }

  private var notes: String { "\(path)/ended" }

  private func fileName(_ note: EndedSession) -> String {
    digest.sha256(Array("\(note.account)\n\(note.session?.description ?? "")\n\(note.at)".utf8))
  }

  // MARK: The directory

  /// A descriptor of the directory of notes, which is ours, and nobody else's to read.
  private func openNotes(creating: Bool) throws(EndedSessionsError) -> Int32 {
    if creating {
      let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      for directory in [path, notes] { unsafe mkdir(directory, 0o700) }
    }
    close(try Self.openOwn(path))
    return try Self.openOwn(notes)
  }

  private static func openOwn(_ path: String) throws(EndedSessionsError) -> Int32 {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw EndedSessionsError(message: "could not open \(path): \(reason(Errno(errno)))") }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(), fchmod(descriptor, 0o700) == 0 {
      return descriptor
    }
    close(descriptor)
    throw EndedSessionsError(message: "\(path) belongs to another user")
  }

  // MARK: A note

  private func write(_ bytes: [UInt8], to name: String, in directory: Int32) throws {
    let file = unsafe openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    try Self.check(file)
    defer { close(file) }
    // A note is far smaller than what the kernel writes at once.
    let count = unsafe Glibc.write(file, bytes, bytes.count)
    try Self.check(count == bytes.count ? 0 : -1)
    try Self.check(fsync(file))
  }

  /// Nil, and a line in the journal, for what is no note.
  private func read(_ name: String, in directory: Int32) -> EndedSession? {
    let file = unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    if count > 0, let note = try? JSONDecoder().decode(EndedSession.self, from: Data(bytes[..<count])) { return note }
    log.record(.warning, "state_unreadable", account: nil, "\(notes)/\(name) is no note of Keyrack's; it is ignored")
    return nil
  }

  // MARK: errno

  private struct Errno: Error {
    let code: Int32
    init(_ code: Int32) { self.code = code }
  }

  private static func check(_ result: Int32) throws(Errno) {
    if result < 0 { throw Errno(errno) }
  }

  private static func reason(_ error: any Error) -> String {
    (error as? Errno).map { SystemError.text(of: $0.code) } ?? "\(error)"
  }
}

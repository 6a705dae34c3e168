import CSystemd
import FoundationEssentials
import Glibc
import KeyrackCore
import KeyrackProtocol

/// A directory of notes of one kind, which is ours, and nobody else's to read.
struct NoteFolder<Note: JSONObject & Decodable> {
  private let parent: String
  private let path: String
  private let log: any EventLog

  init(parent: String, name: String, log: any EventLog) {
    self.parent = parent
    path = "\(parent)/\(name)"
    self.log = log
  }

  /// Returns when the note would survive a crash.
  func write(_ note: Note, name: String) throws(StateError) {
    let directory = try open(creating: true)
    defer { close(directory) }
    do {
      try write(JSONObjectWriter.text(of: note), to: ".\(name)", in: directory)
      try Self.check(unsafe renameat(directory, ".\(name)", directory, name))
      try Self.check(fsync(directory))
    } catch {
      throw StateError(message: "could not write to \(path): \(Self.reason(error))")
    }
  }

  /// Does nothing where there is none.
  func remove(_ name: String, durably: Bool) {
    guard let directory = try? open(creating: false) else { return }
    defer { close(directory) }
    unsafe unlinkat(directory, name, 0)
    if durably { fsync(directory) }
  }

  /// And the folder with them.
  func removeAll() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    guard let directory = try? open(creating: false) else { return }
    defer { close(directory) }
    for name in names { unsafe unlinkat(directory, name, 0) }
    unsafe rmdir(path)
  }

  /// In the order of their names. What is no note is reported and left out.
  func all() -> [Note] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
    do throws(StateError) {
      let directory = try open(creating: false)
      defer { close(directory) }
      // A note whose name begins with a dot was never completed.
      return names.sorted().filter { !$0.hasPrefix(".") }.compactMap { read($0, in: directory) }
    } catch {
      log.record(Event(.stateFailed, error.message))
      return []
    }
  }

  // MARK: The directory

  private func open(creating: Bool) throws(StateError) -> Int32 {
    if creating {
      let above = parent.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      try? FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
      for directory in [parent, path] { unsafe mkdir(directory, 0o700) }
    }
    close(try Self.openOwn(parent))
    return try Self.openOwn(path)
  }

  private static func openOwn(_ path: String) throws(StateError) -> Int32 {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw StateError(message: "could not open \(path): \(reason(Errno(errno)))") }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(), fchmod(descriptor, 0o700) == 0 {
      return descriptor
    }
    close(descriptor)
    throw StateError(message: "\(path) belongs to another user")
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
  private func read(_ name: String, in directory: Int32) -> Note? {
    let file = unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    if count > 0, let note = try? JSONDecoder().decode(Note.self, from: Data(bytes[..<count])) { return note }
    log.record(Event(.stateFailed, "\(path)/\(name) is no note of Keyrack's; it is ignored", level: .warning))
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

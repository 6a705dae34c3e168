import Foundation
import KeyrackCore
import KeyrackSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StateDirectoryTests {
  private let folder: TemporaryFolder
  private let path: String
  private let log = CollectedLog()
  private let state: StateDirectory
  private let note = EndedSession(account: "w/ork\u{E4}", session: SessionID(), at: 1_700_000_000)

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/state/keyrack"
    state = try StateDirectory(path: path, log: log)
  }

  @Test func itIsEmptyBeforeTheFirstNoteAndMakesNothing() async throws {
    #expect(await state.all().isEmpty)
    await state.remove(note)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(log.messages.isEmpty)
  }

  @Test func notesOutliveTheDaemon() async throws {
    let other = EndedSession(account: "home", session: nil, at: 1_700_000_001)
    try await state.add(note)
    try await state.add(other)
    try await state.add(note)
    #expect(Set(try await StateDirectory(path: path, log: log).all()) == [note, other])
    await state.remove(note)
    #expect(try await StateDirectory(path: path, log: log).all() == [other])
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/ended").count == 1)
  }

  @Test func anIntentOutlivesTheDaemonAndTakesThePlaceOfTheLast() async throws {
    var record = SessionRecord(
      session: SessionID(), account: "work", provider: "corp",
      audience: Audience(issuer: nil, endpoint: "https://a.example/token", clientID: "c"), obtainedAt: 1)
    try await state.add(RefreshIntent(of: record, at: 1_700_000_000))
    record.generation = 1
    let newer = RefreshIntent(of: record, at: 1_700_000_001)
    try await state.add(newer)
    #expect(try await StateDirectory(path: path, log: log).interrupted() == [newer])
    await state.remove(of: record.session)
    #expect(await state.interrupted().isEmpty)
    #expect(await state.all().isEmpty)
  }

  @Test func onlyItsOwnerCanReadIt() async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try await state.add(note)
    for directory in [path, path + "/ended"] { #expect(try permissions(directory) == 0o700) }
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: path + "/ended").first)
    #expect(try permissions("\(path)/ended/\(name)") == 0o600)
  }

  @Test func whatIsNoNoteIsSkippedAndReported() async throws {
    try await state.add(note)
    let junk = ["empty": "", "junk": "\u{0}\u{FF}", "other": #"{"account":1}"#]
    for (name, text) in junk {
      try text.write(toFile: "\(path)/ended/\(name)", atomically: false, encoding: .utf8)
    }
    try FileManager.default.createDirectory(atPath: "\(path)/ended/folder", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: "\(path)/ended/link", withDestinationPath: "/etc/passwd")
    #expect(mkfifo("\(path)/ended/pipe", 0o600) == 0)
    // Left behind by a daemon that was killed while it wrote.
    try "{".write(toFile: "\(path)/ended/.begun", atomically: false, encoding: .utf8)
    #expect(await state.all() == [note])
    #expect(log.messages.count == junk.count + 3)
    #expect(log.messages.first == "\(path)/ended/empty is no note of Keyrack's; it is ignored")
  }

  @Test func aPlaceThatCannotBeWrittenIsNamed() async throws {
    try "a file".write(toFile: folder.path + "/state", atomically: false, encoding: .utf8)
    await #expect(throws: StateError(message: "could not open \(path): Not a directory")) {
      try await state.add(note)
    }
    #expect(await state.all().isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func aDirectoryOfAnotherUserIsRefused() async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(chown(path, 65534, 65534) == 0)
    await #expect(throws: StateError(message: "\(path) belongs to another user")) {
      try await state.add(note)
    }
  }

  @Test(arguments: [
    (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/keyrack"),
    (["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/keyrack"),
    (["HOME": "/h"], "/h/.local/state/keyrack"),
  ])
  func itsPlaceFollowsTheEnvironment(environment: [String: String], expected: String) {
    #expect(StateDirectory.defaultPath(environment: environment) == expected)
  }

  private func permissions(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}

import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// A token that is kept in a file.
@Suite(.timeLimit(.minutes(2))) struct TokenFileTests {
  /// A folder on a tmpfs, and a `keyrack token-file` that writes into it.
  private final class Kept: Sendable {
    let folder: String
    let child: Child
    var path: String { folder + "/token" }
    /// Nil where there is no such file.
    var text: String? { try? String(contentsOfFile: path, encoding: .utf8) }
    var complaints: String { (try? String(contentsOfFile: folder + "/err", encoding: .utf8)) ?? "" }

    init(_ fixture: KeyrackFixture, _ options: [String] = [], environment: [String: String] = [:]) throws {
      folder = try TokenFileTests.folderInMemory()
      child = try Child(
        [Products.path(of: "keyrack"), "token-file", "work", folder + "/token"] + options,
        environment: fixture.daemon.environment.merging(environment) { $1 }, error: folder + "/err")
    }

    deinit {
      child.end()
      try? FileManager.default.removeItem(atPath: folder)
    }

    func appears() async throws -> String {
      try await eventually("the file", within: .seconds(10)) { text != nil }
      return text ?? ""
    }

    func disappears() async throws { try await eventually("the end of the file") { text == nil } }
  }

  private static func folderInMemory() throws -> String {
    var template = Array("/dev/shm/keyrack-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private func signedIn(accessLifetime: Double = 3600) async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture(accessLifetime: accessLifetime)
    try await fixture.signIn()
    return fixture
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func itIsThereForThisUserUntilASignalEndsTheProgram(signal: Int32) async throws {
    let fixture = try await signedIn()
    let kept = try Kept(fixture)
    #expect(try await kept.appears() == fixture.token())
    #expect(ConfigurationHome.mode(of: kept.path) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept.folder).sorted() == ["err", "token"])
    kept.child.send(signal)
    #expect(try await kept.child.wait() == 128 + signal)
    #expect(kept.text == nil && kept.complaints.isEmpty)
  }

  @Test func itIsRenewedBeforeTheTokenEndsAndIsWholeAtEachMoment() async throws {
    let fixture = try await signedIn(accessLifetime: 3)
    let kept = try Kept(fixture)
    var seen: [String] = [try await kept.appears()]
    try await eventually("three tokens", within: .seconds(20)) {
      let text = try #require(kept.text)
      if text != seen.last { seen.append(text) }
      return seen.count == 3
    }
    // Each was given by the provider, the last one is alive.
    for token in seen { _ = try await fixture.provider.deadTime(ofAccessToken: token) }
    #expect(try await fixture.provider.accepts(accessToken: seen[2]))
  }

  @Test func itGoesWithTheSessionAndComesBackWithTheNext() async throws {
    let fixture = try await signedIn()
    let manager = try NotifySocket("\(fixture.session.path)/notify")
    let kept = try Kept(fixture, environment: ["NOTIFY_SOCKET": manager.path])
    let first = try await kept.appears()
    try await manager.wait(for: "READY=1")
    try await manager.wait(for: "STATUS=good until 20")
    _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
    try await kept.disappears()
    try await manager.wait(for: "STATUS=waiting: work: not signed in")
    #expect(kept.complaints == "keyrack: waiting: work: not signed in\nkeyrack: hint: keyrack login work\n")
    try await fixture.signIn()
    #expect(try await kept.appears() != first)
    #expect(kept.child.exitStatus == nil)
  }

  @Test func aRestartOfTheDaemonEndsNothing() async throws {
    let fixture = try await signedIn()
    let kept = try Kept(fixture)
    let first = try await kept.appears()
    try await fixture.daemon.stop()
    try await eventually("word of it") { kept.complaints.contains("keyrack: waiting: keyrackd ") }
    #expect(kept.text == first)
    try await fixture.daemon.start()
    _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
    try await eventually("the end of the file", within: .seconds(20)) { kept.text == nil }
    #expect(kept.child.exitStatus == nil)
  }

  @Test func anAccountThatIsGoneEndsIt() async throws {
    let fixture = try await signedIn()
    let kept = try Kept(fixture)
    _ = try await kept.appears()
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider, accounts: ["other"]))
    _ = try await fixture.daemon.call(ReloadOperation())
    #expect(try await kept.child.wait() == 1)
    #expect(kept.text == nil && kept.complaints.contains("work"))
  }

  @Test func aDiskIsRefusedUnlessItIsMeant() async throws {
    let fixture = try await signedIn()
    let path = "\(Products.checkout)/.build/token-\(getpid())"
    defer { unlink(path) }
    let refused = try await fixture.daemon.keyrack("token-file", "work", path, "--once")
    #expect(refused.status == 1)
    #expect(refused.error.hasPrefix("keyrack: could not write \(path): it would be on a disk"), "\(refused.error)")
    #expect(!FileManager.default.fileExists(atPath: path))
    let meant = try await fixture.daemon.keyrack("token-file", "work", path, "--once", "--any-filesystem")
    #expect(meant.status == 0 && meant.error.isEmpty)
    #expect(try await String(contentsOfFile: path, encoding: .utf8) == fixture.token())
    #expect(ConfigurationHome.mode(of: path) == 0o600)
  }

  @Test func onceLeavesWhatIsThereWhereThereIsNoToken() async throws {
    let fixture = try await KeyrackFixture()
    let folder = try Self.folderInMemory()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "before".write(toFile: "\(folder)/token", atomically: false, encoding: .utf8)
    let refused = try await fixture.daemon.keyrack("token-file", "work", "\(folder)/token", "--once")
    #expect(refused.status == 3)
    #expect(refused.error == "keyrack: work: not signed in\nkeyrack: hint: keyrack login work\n")
    #expect(try String(contentsOfFile: "\(folder)/token", encoding: .utf8) == "before")
    try await fixture.signIn()
    #expect(try await fixture.daemon.keyrack("token-file", "work", "\(folder)/token", "--once").status == 0)
    #expect(try await String(contentsOfFile: "\(folder)/token", encoding: .utf8) == fixture.token())
  }

  @Test(arguments: [
    (["token-file", "work"], 2 as Int32, "token-file: which account, and which PATH?"),
    (["token-file", "work", "/dev/shm/"], 2, "/dev/shm/: not the name of a file"),
    (["token-file", "work", "/dev/shm/x"], 7, "keyrackd is not running"),
  ])
  func whatCannotBeginSaysSo(arguments: [String], status: Int32, complaint: String) async throws {
    let run = try await CommandRun.run(arguments, socket: "/nowhere/keyrack.sock")
    #expect(run.status == status)
    #expect(run.errors.hasPrefix("keyrack: \(complaint)"), "\(run.errors)")
  }

  @Test func theUnitIsSound() async throws {
    let folder = try TemporaryFolder()
    for name in ["keyrack-token-file@.service", "keyrack.service", "keyrack.socket"] {
      let text = try String(contentsOf: Manual.checkout.appending(path: "systemd/\(name)"), encoding: .utf8)
      try text.replacing("@BINDIR@/keyrackd", with: "/bin/true").replacing("@BINDIR@/keyrack", with: "/bin/true")
        .write(toFile: "\(folder.path)/\(name)", atomically: false, encoding: .utf8)
    }
    let verification = try await Child.run(
      [
        "systemd-analyze", "--user", "--man=no", "--recursive-errors=no", "verify",
        "\(folder.path)/keyrack-token-file@work.service",
      ],
      environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "SYSTEMD_UNIT_PATH": "\(folder.path):"])
    #expect(verification.status == 0 && verification.error.isEmpty, "\(verification.error)")
  }
}

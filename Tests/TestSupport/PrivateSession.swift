import Foundation
import Glibc

/// A desktop session of a test's own: HOME, XDG_RUNTIME_DIR, a message bus and gnome-keyring, all in a temporary folder.
/// Nothing is started by bus activation, and everything ends with this object.
package actor PrivateSession {
  package enum Mode: Sendable {
    /// The default collection is unlocked.
    case unlocked
    /// It exists, is locked, and nothing is there to ask the person.
    case locked
    /// A bus without a Secret Service.
    case withoutService
    case withoutBus
  }

  package struct Item: Sendable, Equatable {
    package let attributes: [String: String]
    package let label: String
    package let secret: String
  }

  /// For the programs of this session.
  package nonisolated let environment: [String: String]
  /// Holds `home`, `run` and the logs of what runs.
  package nonisolated let path: String

  private let folder: TemporaryFolder
  private let password = "rig"
  private var busDaemon: Child?
  private var keyringDaemon: Child?
  private var bus: Bus?

  package init(_ mode: Mode = .unlocked) async throws {
    folder = try TemporaryFolder()
    path = folder.path
    environment = Self.environment(path, withBus: mode != .withoutBus)
    for part in ["home", "run"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(part)", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
    try Self.busConfiguration(path).write(toFile: "\(path)/bus.conf", atomically: false, encoding: .utf8)
    try password.write(toFile: "\(path)/password", atomically: false, encoding: .utf8)
    if mode == .withoutBus { return }
    try await startBus()
    if mode == .withoutService { return }
    try await startKeyring()
    if mode == .locked { try await lock() }
  }

  private static func environment(_ path: String, withBus: Bool) -> [String: String] {
    let variables = [
      "HOME": "\(path)/home", "XDG_RUNTIME_DIR": "\(path)/run", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    ]
    return withBus ? variables.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/run/bus"]) { $1 } : variables
  }

  private static func busConfiguration(_ path: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(path)/run/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """
  }

  // MARK: The bus

  /// Ends whatever is connected to it, the keyring included.
  package func killBus() {
    busDaemon?.end()
    busDaemon = nil
    keyringDaemon?.end()
    keyringDaemon = nil
    bus = nil
  }

  /// The bus alone; it has the same address as one before it.
  package func startBus() async throws {
    try? FileManager.default.removeItem(atPath: "\(path)/run/bus")
    busDaemon = try Child(
      ["dbus-daemon", "--config-file=\(path)/bus.conf", "--nofork", "--nopidfile"], environment: environment,
      error: "\(path)/bus.log")
    try await eventually("the bus") {
      bus = try? Bus(address: "unix:path=\(path)/run/bus")
      return bus != nil
    }
  }

  // MARK: The keyring

  package var keyringPID: Int32? { keyringDaemon?.pid }

  /// Starts it and waits for its default collection, which it creates where there is none. What was stored before is
  /// there again.
  package func startKeyring(unlocked: Bool = true) async throws {
    let unlock = unlocked ? ["--unlock"] : []
    keyringDaemon = try Child(
      // It has to live through ``fillDisk()``.
      ["env", "--ignore-signal=XFSZ", "gnome-keyring-daemon", "--foreground", "--components=secrets"] + unlock,
      environment: environment,
      input: unlocked ? "\(path)/password" : "/dev/null", output: "\(path)/keyring.log", error: "\(path)/keyring.log")
    try await eventually("the keyring") { try unlocked ? isLocked() == false : hasService() }
  }

  /// From now on it cannot write its files.
  package func fillDisk() async throws { try await limitFiles(to: "0") }

  package func makeRoom() async throws { try await limitFiles(to: "unlimited") }

  /// The soft limit, which is taken back without a privilege.
  private func limitFiles(to size: String) async throws {
    let prlimit = ["prlimit", "--pid", "\(keyringDaemon?.pid ?? 0)", "--fsize=\(size):"]
    let run = try await Child.run(prlimit, environment: environment)
    if run.status != 0 { throw Child.Failure(description: "prlimit: \(run.error)") }
  }

  package func killKeyring() async throws {
    keyringDaemon?.end()
    keyringDaemon = nil
    try await eventually("the keyring's name to leave the bus") { try !hasService() }
  }

  /// Kills it at its n-th commit from now: a rename of a file, of which each store makes two. Wait for the end of what
  /// is returned, and start the keyring again. Needs ``keyringCanBeTraced()``.
  package func killKeyring(atCommit number: Int) async throws -> Child {
    let log = "\(path)/strace.log"
    let strace = try Child(
      [
        "strace", "-f", "-p", "\(keyringDaemon?.pid ?? 0)", "-e", "trace=rename",
        "-e", "inject=rename:signal=SIGKILL:when=\(number)",
      ], environment: environment, error: log)
    try await eventually("strace") { (try? String(contentsOfFile: log, encoding: .utf8))?.contains("attached") == true }
    return strace
  }

  /// The keyring has a capability, so that its own user may not look into it; a container may forbid that to root, too.
  package static func keyringCanBeTraced() async -> Bool {
    guard geteuid() == 0 else { return false }
    let variables = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    return (try? await Child.run(["strace", "-o", "/dev/null", "true"], environment: variables))?.status == 0
  }

  /// Makes it hang. Call nothing here that needs it until ``continueKeyring()``.
  package func stopKeyring() { keyringDaemon?.send(SIGSTOP) }
  package func continueKeyring() { keyringDaemon?.send(SIGCONT) }

  package func lock() async throws {
    guard let collection = try defaultCollection() else { return }
    try secrets("Lock", "([objectpath '\(collection)'],)")
    try await eventually("the lock") { try isLocked() == true }
  }

  /// Unlocks it with its password, which shows no prompt.
  package func unlock() async throws {
    guard let collection = try defaultCollection() else { return }
    let session = try openSession()
    let text = password.utf8.map { "byte \($0)" }.joined(separator: ", ")
    try connected().call(
      "UnlockWithMasterPassword", of: "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", at: Self.root,
      "(objectpath '\(collection)', (objectpath '\(session)', @ay [], [\(text)], 'text/plain'))")
    try await eventually("the unlock") { try isLocked() == false }
  }

  /// Nil where there is no default collection, or no service.
  package func isLocked() throws -> Bool? {
    guard try hasService(), let collection = try? defaultCollection() else { return nil }
    return try connected().call(
      "Get", of: "org.freedesktop.DBus.Properties", at: collection, "('org.freedesktop.Secret.Collection', 'Locked')"
    )[0].inner.isTrue
  }

  // MARK: What is in it

  /// All of Keyrack's items, read past Keyrack. The keyring must be unlocked.
  package func items() throws -> [Item] {
    let session = try openSession()
    return try itemPaths().compactMap { path in
      do { return try item(at: path, session) } catch {
        // Keyrack may have removed it meanwhile.
        guard try itemPaths().contains(path) else { return nil }
        throw error
      }
    }
  }

  private func itemPaths() throws -> [String] {
    try secrets("SearchItems", "({'app': 'keyrack'},)")[0].children.map(\.text)
  }

  private func item(at path: String, _ session: String) throws -> Item {
    let secret = try connected().call("GetSecret", of: Self.item, at: path, "(objectpath '\(session)',)")
    var attributes = try property("Attributes", of: path).dictionary
    attributes["xdg:schema"] = nil
    return Item(
      attributes: attributes, label: try property("Label", of: path).text,
      secret: String(decoding: secret[0][2].bytes, as: UTF8.self))
  }

  /// Writes an item past Keyrack, beside any other that has these attributes where `replacing` is false.
  package func store(
    attributes: [String: String], secret: String, label: String = "test", replacing: Bool = true
  ) throws {
    guard let collection = try defaultCollection() else { return }
    let pairs = attributes.map { "'\($0)': '\($1)'" }.joined(separator: ", ")
    let text = secret.utf8.map { "byte \($0)" }.joined(separator: ", ")
    try connected().call(
      "CreateItem", of: "org.freedesktop.Secret.Collection", at: collection,
      "(@a{sv} {'\(Self.item).Label': <'\(label)'>, '\(Self.item).Attributes': <@a{ss} {\(pairs)}>}, "
        + "(objectpath '\(try openSession())', @ay [], @ay [\(text)], 'text/plain'), \(replacing))")
  }

  /// Removes all of Keyrack's items, past Keyrack.
  package func removeItems() throws {
    for path in try itemPaths() { try connected().call("Delete", of: Self.item, at: path) }
  }

  private static let root = "/org/freedesktop/secrets"
  private static let item = "org.freedesktop.Secret.Item"

  private func connected() throws -> Bus {
    guard let bus else { throw Child.Failure(description: "this session has no bus") }
    return bus
  }

  private func hasService() throws -> Bool {
    try connected().call(
      "NameHasOwner", of: "org.freedesktop.DBus", at: "/", on: "org.freedesktop.DBus", "('org.freedesktop.secrets',)"
    )[0].isTrue
  }

  @discardableResult
  private func secrets(_ method: String, _ arguments: String) throws -> Variant {
    try connected().call(method, of: "org.freedesktop.Secret.Service", at: Self.root, arguments)
  }

  private func openSession() throws -> String { try secrets("OpenSession", "('plain', <''>)")[1].text }

  private func defaultCollection() throws -> String? {
    let path = try secrets("ReadAlias", "('default',)")[0].text
    return path == "/" ? nil : path
  }

  private func property(_ name: String, of item: String) throws -> Variant {
    try connected().call("Get", of: "org.freedesktop.DBus.Properties", at: item, "('\(Self.item)', '\(name)')")[0].inner
  }
}

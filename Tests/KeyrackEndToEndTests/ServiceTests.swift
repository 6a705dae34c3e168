import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// What `keyrackd` is to systemd. Tests/service.sh tries the units themselves.
@Suite(.timeLimit(.minutes(2))) struct ServiceTests {
  @Test func systemdHearsWhatTheDaemonIsAt() async throws {
    let session = try await PrivateSession()
    let provider = try SampleProvider()
    let manager = try NotifySocket("\(session.path)/notify")
    let daemon = try await KeyrackDaemon(
      in: session, configuration: KeyrackFixture.oauth(provider), environment: ["NOTIFY_SOCKET": manager.path])
    try await manager.wait(for: "READY=1\nSTATUS=0 signed in")
    _ = try await daemon.call(
      LoginOperation(account: "work", username: "alice", password: Secret(KeyrackFixture.password)))
    try await manager.wait(for: "STATUS=1 signed in")
    await daemon.send(SIGHUP)
    try await manager.wait(for: "RELOADING=1\nMONOTONIC_USEC=")
    try await manager.wait(for: "READY=1\nSTATUS=1 signed in")
    try daemon.write(configuration: "[account work]\n")
    await daemon.send(SIGHUP)
    try await manager.wait(for: "READY=1\nSTATUS=configuration not read: ")
    #expect(try await daemon.stop() == 0)
    #expect(manager.received().last == "STOPPING=1")
    // Nobody asked for a watchdog.
    #expect(!manager.received().contains("WATCHDOG=1"))
  }

  @Test func theWatchdogIsFedForAsLongAsTheLoopRuns() async throws {
    let session = try await PrivateSession(.withoutBus)
    let manager = try NotifySocket("\(session.path)/notify")
    let watched = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"]
    let daemon = try await KeyrackDaemon(in: session, configuration: "", environment: watched)
    try await eventually("three pings") { manager.received().count { $0 == "WATCHDOG=1" } >= 3 }
    await daemon.kill()
  }

  @Test func aHangingKeyringDoesNotKeepItFromBeingReady() async throws {
    let session = try await PrivateSession()
    await session.stopKeyring()
    let manager = try NotifySocket("\(session.path)/notify")
    let provider = try SampleProvider()
    let start = ContinuousClock.now
    let daemon = try await KeyrackDaemon(
      in: session, configuration: KeyrackFixture.oauth(provider), environment: ["NOTIFY_SOCKET": manager.path])
    try await manager.wait(for: "READY=1")
    #expect(try await daemon.call(StatusOperation()).accounts.map(\.account) == ["work"])
    // The keyring has ten.
    #expect(ContinuousClock.now - start < .seconds(8))
    await session.continueKeyring()
    await daemon.kill()
  }

  @Test func aHangingKeyringDoesNotKeepItFromStopping() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    try await fixture.daemon.stop()
    await fixture.session.stopKeyring()
    try await fixture.daemon.start()
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(TokenOperation(account: "work").line())
    _ = try await Wire(fixture.daemon.socket).call(StatusOperation())
    let (took, status) = try await timed { try await fixture.daemon.stop() }
    #expect(status == 0)
    #expect(took < .seconds(8))
    let reply = try Reply<TokenOperation.Reply>(line: (try await wire.line() ?? "").utf8)
    #expect(throws: ReplyError.self) { try reply.result.get() }
    if case .failure(let error) = reply.result { #expect(error.code == .shuttingDown) }
    await fixture.session.continueKeyring()
  }

  // MARK: Socket activation

  @Test func systemdsSocketIsTakenAndLeft() async throws {
    let activated = try await ActivatedDaemon()
    let version = try await Wire(activated.socket).call(VersionOperation())
    #expect(version.name == "keyrackd")
    activated.process.send(SIGTERM)
    #expect(try await activated.process.wait() == 0)
    #expect(access(activated.socket, F_OK) == 0)
  }

  @Test func anActivatedDaemonStaysUpWithABrokenConfiguration() async throws {
    let activated = try await ActivatedDaemon(configuration: "[account work]\nprovidr=corp\n")
    let wire = try Wire(activated.socket)
    let error = await #expect(throws: ReplyError.self) { try await wire.call(TokenOperation(account: "work")) }
    #expect(error?.code == .configError)
    #expect(error?.message.hasPrefix("\(activated.configurationFile):2: [account work] providr: ") == true)
    #expect(try await wire.call(StatusOperation()).accounts.isEmpty)
    let broken = try await wire.call(CheckOperation()).checks[0]
    #expect(
      broken.result == .fail && broken.message.hasPrefix("\(activated.configurationFile):2: [account work] providr: "))
    #expect(broken.message.hasSuffix("; none is in force"))
    let status = try await Child.run(
      [Products.path(of: "keyrack"), "status"], environment: activated.session.environment)
    #expect(status.status == 1)
    #expect(
      status.error.hasPrefix("keyrack: \(activated.configurationFile):2: [account work] providr: "))
    try Data().write(to: URL(filePath: activated.configurationFile))
    #expect(try await wire.call(CheckOperation()).checks[0].hint == "keyrack reload")
    #expect(try await wire.call(ReloadOperation()).added.isEmpty)
    #expect(try await wire.call(CheckOperation()).checks[0].result == .ok)
    let next = await #expect(throws: ReplyError.self) { try await wire.call(TokenOperation(account: "work")) }
    #expect(next?.code == .unknownAccount)
  }

  @Test func aSecondDaemonDoesNotStartBesideAnActivatedOne() async throws {
    let activated = try await ActivatedDaemon()
    _ = try await Wire(activated.socket).call(VersionOperation())
    let second = try await Child.run([Products.path(of: "keyrackd")], environment: activated.session.environment)
    #expect(second.status == 69)
    #expect(second.error == "keyrackd: already running\n")
    _ = try await Wire(activated.socket).call(VersionOperation())
  }

  // MARK: Started by hand

  @Test func theSocketFileGoesWithTheDaemon() async throws {
    let session = try await PrivateSession(.withoutBus)
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    let second = try await Child.run([Products.path(of: "keyrackd")], environment: session.environment)
    #expect(second.status == 69)
    #expect(second.error == "keyrackd: already running\n")
    // A stale socket is in nobody's way.
    await daemon.kill()
    #expect(access(daemon.socket, F_OK) == 0)
    try await daemon.start()
    #expect(try await daemon.stop() == 0)
    #expect(access(daemon.socket, F_OK) != 0)
  }

  @Test func aBrokenConfigurationEndsIt() async throws {
    let session = try await PrivateSession(.withoutBus)
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    try await daemon.stop()
    try daemon.write(configuration: "[account work]\nprovidr=corp\n")
    let run = try await Child.run([Products.path(of: "keyrackd")], environment: session.environment)
    #expect(run.status == 78)
    #expect(run.error.contains("/keyrack.conf:2: [account work] providr: unknown key\nkeyrackd: an account has "))
    #expect(access(daemon.socket, F_OK) != 0)
  }

  @Test(.enabled("needs strace, and root", PrivateSession.keyringCanBeTraced))
  func aDaemonThatTheTestsStartHasReadItsConfiguration() async throws {
    let slow = ["strace", "-D", "-o", "/dev/null", "-e", "trace=listen", "-e", "inject=listen:delay_exit=200000"]
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "", by: slow)
    try daemon.write(configuration: "broken")
    _ = try await daemon.call(VersionOperation())
    #expect(try await daemon.stop() == 0)
  }

  @Test(arguments: [
    (["--help"], Int32(0), "usage: keyrackd [--help | --version]\n", ""),
    (["--version"], 0, "keyrackd \(Keyrack.version)\n", ""),
    (["--verbose"], 64, "", "keyrackd: takes no arguments but --help and --version\n"),
    (["work"], 64, "", "keyrackd: takes no arguments but --help and --version\n"),
  ])
  func itsCommandLine(_ arguments: [String], _ status: Int32, _ output: String, _ error: String) async throws {
    let run = try await Child.run([Products.path(of: "keyrackd")] + arguments, environment: [:])
    #expect(run.status == status)
    #expect(run.output.hasPrefix(output))
    #expect(run.error == error)
  }

  private static let others =
    geteuid() == 0 ? "others can write to it" : "belongs to user 0, not to \(geteuid())"

  @Test(
    arguments: [
      (nil, "XDG_RUNTIME_DIR is not set, and there is no KEYRACK_SOCKET"),
      ("run", "XDG_RUNTIME_DIR=run: must be an absolute path"),
      ("/nowhere", "XDG_RUNTIME_DIR=/nowhere: No such file or directory"),
      ("/tmp", "XDG_RUNTIME_DIR=/tmp: \(others)"),
    ] as [(String?, String)])
  func itUsesNoPlaceThatOthersCanWriteTo(_ directory: String?, _ message: String) async throws {
    let session = try await PrivateSession(.withoutBus)
    var environment = session.environment
    environment["XDG_RUNTIME_DIR"] = directory
    let run = try await Child.run([Products.path(of: "keyrackd")], environment: environment)
    #expect(run.status == 1)
    #expect(run.error == "keyrackd: \(message)\n")
  }
}

/// `keyrackd` as its socket unit starts it: at the first connect, with the socket passed.
private struct ActivatedDaemon {
  let session: PrivateSession
  let socket: String
  let configurationFile: String
  let process: Child

  init(configuration: String = "") async throws {
    session = try await PrivateSession(.withoutBus)
    let folder = "\(session.path)/run/keyrack"
    let settings = "\(session.path)/home/.config/keyrack"
    for path in [folder, settings] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    socket = "\(folder)/keyrack.sock"
    configurationFile = "\(settings)/keyrack.conf"
    try configuration.write(toFile: configurationFile, atomically: false, encoding: .utf8)
    // It hands on only what it is told to.
    let variables = session.environment.flatMap { ["-E", "\($0)=\($1)"] }
    process = try Child(
      ["systemd-socket-activate", "-l", socket, "--fdname=keyrack"] + variables + [Products.path(of: "keyrackd")],
      environment: session.environment)
    // Whoever connects starts the daemon.
    // The file is there before anybody listens.
    try await eventually("the socket") { [socket] in (try? Wire(socket)) != nil }
  }
}

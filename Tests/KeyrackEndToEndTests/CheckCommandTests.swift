import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// `keyrack check` in each trouble, as a person sees it.
@Suite(.timeLimit(.minutes(2))) struct CheckCommandTests {
  private func check(_ daemon: KeyrackDaemon) async throws -> (status: Int32, lines: [String]) {
    let run = try await daemon.keyrack("check")
    return (run.status, run.output.components(separatedBy: "\n"))
  }

  /// What the command prints of one thing, with the hint below it.
  private func expect(
    _ expected: String, in found: (status: Int32, lines: [String]), status: Int32 = 1, hint: String? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(found.status == status, "\(found.lines)", sourceLocation: location)
    let index = found.lines.firstIndex { $0.hasPrefix(expected) }
    guard let index else {
      Issue.record("no \"\(expected)\" in \(found.lines)", sourceLocation: location)
      return
    }
    if let hint { #expect(found.lines[index + 1] == "     \(hint)", sourceLocation: location) }
  }

  @Test func whereAllIsWellEveryLineIsOkAndNothingIsLeftBehind() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let (token, items) = try await (fixture.token(), fixture.session.items())
    let found = try await check(fixture.daemon)
    expect("ok   account work: signed in", in: found, status: 0)
    let names = found.lines.dropLast().map { $0.prefix { $0 != ":" } }
    #expect(
      names == [
        "ok   runtime directory", "ok   configuration file", "ok   unit", "ok   socket", "ok   daemon",
        "ok   configuration", "ok   session bus", "ok   keyring", "ok   provider corp", "ok   account work",
      ])
    #expect(try await fixture.session.items() == items)
    for secret in try await [token, fixture.liveRefreshToken(), "alice"] {
      #expect(!found.lines.joined().contains(secret))
    }
  }

  @Test func theChecksAreALineOfJSONToo() async throws {
    let fixture = try await KeyrackFixture()
    let run = try await fixture.daemon.keyrack("check", "--json")
    let checks = try JSONDecoder().decode(CheckOperation.Reply.self, from: Data(run.output.utf8)).checks
    #expect(run.status == 0 && run.error.isEmpty)
    #expect(
      checks.last == Check(.warn, "account work", "not signed in", hint: "keyrack login work"))
  }

  // MARK: The daemon

  @Test func withoutADaemonItSaysHowToStartOne() async throws {
    let session = try await PrivateSession(.withoutBus)
    let run = try await Child.run(
      [Products.path(of: "keyrack"), "check"], environment: session.environment, within: .seconds(20))
    let found = (run.status, run.output.components(separatedBy: "\n"))
    expect(
      "fail socket: \(session.path)/run/keyrack/keyrack.sock is not there", in: found, status: 7,
      hint: "systemctl --user enable --now keyrack.socket, or start keyrackd by hand")
    expect("warn configuration file: \(session.path)/home/.config/keyrack/keyrack.conf is not", in: found, status: 7)
  }

  @Test func whatIsWrongAboutTheWayToTheDaemonIsTold() async throws {
    let lost = try await CommandRun.run(["check"], socket: nil)
    #expect(lost.status == 7)
    #expect(lost.text.contains("fail runtime directory: XDG_RUNTIME_DIR is not set\n"))
    #expect(lost.text.contains("fail socket: could not tell where the socket is"))
    let file = try await CommandRun.run(["check"], socket: "/etc/passwd")
    #expect(file.status == 7 && file.text.contains("fail socket: /etc/passwd is no socket\n"))
    #expect(file.text.contains("warn runtime directory: "))
    let long = try await CommandRun.run(["check"], socket: "/" + String(repeating: "x", count: 107))
    #expect(long.status == 7)
    #expect(long.text.contains("x has 108 bytes, and the path of a socket may have 107\n     set KEYRACK_SOCKET to"))
  }

  @Test func anotherVersionOfTheDaemonIsTold() async throws {
    let home = try ConfigurationHome()
    let found = try await home.run(
      ["check"],
      [
        #"{"ok":true,"name":"keyrackd","version":"9","protocol":1,"operations":[]}"#,
        #"{"ok":false,"error":{"code":"unknown_op","message":"no such operation","retryable":false}}"#,
      ])
    #expect(found.run.status == 1)
    #expect(found.run.text.contains("warn daemon: keyrackd 9, and this is keyrack \(Keyrack.version)\n"))
    #expect(
      found.run.text.contains(
        "fail daemon: refuses to look: no such operation\n     keyrackd is of another version (keyrack version); "
          + "systemctl --user restart keyrack.service\n"))
  }

  /// Of the socket unit and of the service: load, active, sub and file state.
  static let units = [
    (
      "loaded active listening enabled", "loaded inactive dead disabled",
      "ok   unit: keyrack.socket is enabled and active\n"
    ),
    (
      "loaded active running enabled", "loaded active running disabled",
      "ok   unit: keyrack.socket is enabled and active\n"
    ),
    (
      "loaded active running disabled", "loaded active running disabled",
      "warn unit: keyrack.socket is active, but not enabled for the next login\n"
    ),
    (
      "loaded inactive dead enabled", "loaded inactive dead disabled",
      "warn unit: keyrack.socket is enabled, but not active now\n"
    ),
    (
      "loaded inactive dead disabled", "masked inactive dead masked",
      "warn unit: keyrack.socket is neither enabled nor active\n"
    ),
    (
      "loaded failed failed enabled", "loaded inactive dead disabled",
      "fail unit: keyrack.socket has failed\n     systemctl --user start keyrack.socket; why it has: "
        + "systemctl --user status keyrack.socket\n"
    ),
    (
      "loaded failed failed enabled", "masked inactive dead masked",
      "fail unit: keyrack.service is masked\n     systemctl --user unmask keyrack.service, then "
        + "systemctl --user start keyrack.socket\n"
    ),
    (
      "loaded active listening enabled", "not-found inactive dead ",
      "fail unit: keyrack.service is not installed\n     see \"Install\""
    ),
    (
      "loaded active running enabled", "loaded activating auto-restart disabled",
      "fail unit: keyrack.service does not stay up (exit-code)\n     why it ends: journalctl --user -u keyrack.service -e\n"
    ),
    ("not-found inactive dead ", "not-found inactive dead ", "warn unit: keyrack.socket is not installed\n"),
    (
      "masked inactive dead masked", "loaded inactive dead disabled",
      "warn unit: keyrack.socket is masked\n     systemctl --user unmask keyrack.socket, then "
        + "systemctl --user enable --now keyrack.socket\n"
    ),
    ("", nil, "warn unit: systemctl --user could not tell how keyrack.socket is\n"),
  ]

  private static func properties(_ states: String) -> String {
    zip(
      ["LoadState", "ActiveState", "SubState", "UnitFileState"],
      states.split(separator: " ", omittingEmptySubsequences: false)
    )
    .map { "\($0)=\($1)\n" }.joined() + "Result=exit-code\n"
  }

  @Test(arguments: units) func whatSystemdSaysOfTheUnitsIsTold(
    socket: String, service: String?, line: String
  ) async throws {
    let session = try await PrivateSession(.withoutBus)
    for folder in ["bin", "run/systemd"] {
      try FileManager.default.createDirectory(atPath: "\(session.path)/\(folder)", withIntermediateDirectories: false)
    }
    try Data().write(to: URL(filePath: "\(session.path)/run/systemd/private"))
    let script = "\(session.path)/bin/systemctl"
    let answer = [socket, service].compactMap(\.self).map(Self.properties).joined(separator: "\n")
    try "#!/bin/sh\ncat <<'END'\n\(answer)END\n".write(toFile: script, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    let path = "\(session.path)/bin:/usr/bin:/bin"
    let run = try await Child.run(
      [Products.path(of: "keyrack"), "check"], environment: session.environment.merging(["PATH": path]) { $1 },
      within: .seconds(20))
    #expect(run.output.contains(line), "\(run.output)")
  }

  @Test func thatNoMemoryCanBeLockedIsTold() async throws {
    // Root may lock any, without that capability not.
    let ordinary = geteuid() == 0 ? ["setpriv", "--bounding-set=-ipc_lock"] : []
    let fixture = try await KeyrackFixture(in: PrivateSession(), by: ["prlimit", "--memlock=0"] + ordinary)
    try await fixture.signIn()
    _ = try await fixture.token()
    expect(
      "warn memory: tokens may be swapped out: keyrackd cannot lock memory", in: try await check(fixture.daemon),
      status: 0, hint: "let it lock 8 MiB: ulimit -l 8192, or LimitMEMLOCK=8M of its unit")
    #expect(fixture.daemon.said.contains("cannot lock memory: tokens may be swapped out"))
  }

  // MARK: The keyring

  @Test func withoutABusThereIsNoKeyring() async throws {
    let fixture = try await KeyrackFixture(.withoutBus)
    let found = try await check(fixture.daemon)
    expect("fail session bus: cannot be reached (", in: found)
    expect("fail keyring: cannot be reached without the session bus", in: found, hint: "see session bus")
  }

  @Test func aBusWithoutAKeyringAndALockedOneAreTold() async throws {
    let bare = try await check(KeyrackFixture(.withoutService).daemon)
    expect("ok   session bus: answers", in: bare)
    expect(
      "fail keyring: there is none on the session bus", in: bare,
      hint: "start a Secret Service such as gnome-keyring, without a desktop by keyrack-headless-keyring.service, "
        + "or set store=memory; man keyrackd tells how")
    let locked = try await check(KeyrackFixture(.locked).daemon)
    expect("fail keyring: locked, or without a default collection", in: locked)
    expect("fail account work: waits for the keyring", in: locked)
  }

  @Test func theDeathOfTheBusIsSeen() async throws {
    let fixture = try await KeyrackFixture()
    expect("ok   session bus: answers", in: try await check(fixture.daemon), status: 0)
    await fixture.session.killBus()
    expect("fail session bus: cannot be reached (", in: try await check(fixture.daemon))
  }

  // MARK: The provider

  @Test func aProviderThatIsDownIsTold() async throws {
    let fixture = try await KeyrackFixture()
    fixture.provider.stop()
    let found = try await check(fixture.daemon)
    expect(
      "fail provider corp: could not connect to 127.0.0.1:\(fixture.provider.port): Connection refused", in: found,
      hint: "see whether other sites can be reached from here, and whether a proxy is needed")
    expect("ok   keyring: ", in: found)
  }

  @Test func aProviderThatFailsIsNotTakenForANetworkThatDoes() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.provider.script("/token", status: 503)
    expect(
      "fail provider corp: 127.0.0.1:\(fixture.provider.port) answered HTTP 503", in: try await check(fixture.daemon),
      hint: "it is reached, and fails: wait, and tell whoever runs it where that lasts")
  }

  @Test func aSecretThatIsNotThereIsMissed() async throws {
    let fixture = try await KeyrackFixture { provider in
      KeyrackFixture.oauth(provider)
        .replacing("client_id=", with: "token_endpoint_auth_method=client_secret_basic\nclient_id=")
    }
    expect(
      "fail provider corp: the provider corp needs a client secret", in: try await check(fixture.daemon),
      hint: "keyrack provider secret corp")
    _ = try await fixture.daemon.call(SecretOperation(provider: "corp", secret: Secret("s")))
    expect("ok   provider corp: answers at ", in: try await check(fixture.daemon), status: 0)
  }

  @Test func aRefusedClientIsTheSameToTokenCheckAndStatus() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let spent = Secret(try await fixture.token())
    try await fixture.provider.script("/token", status: 401, body: #"{"error":"invalid_client"}"#)
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: spent))
    let hint = try #require(error.hint)
    #expect(hint.hasPrefix("check client_id of its provider"))
    expect(
      "fail account work: cannot be refreshed: the provider refuses this client (", in: try await check(fixture.daemon),
      hint: hint)
    let status = try await fixture.daemon.keyrack("status").output
    #expect(status.contains("\nwork: the provider refuses this client ("))
    #expect(status.contains("\nwork: what to do: \(hint)\n"))
  }

  @Test func anotherProviderThanThatOfTheSessionIsTold() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let text = KeyrackFixture.oauth(fixture.provider).replacing("client_id=keyrack-test", with: "client_id=other")
    try fixture.daemon.write(configuration: text)
    _ = try await fixture.daemon.call(ReloadOperation())
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    let why = error.message.dropFirst("work: ".count)
    expect("fail account work: \(why)", in: try await check(fixture.daemon), hint: error.hint)
    let status = try await fixture.daemon.keyrack("status").output
    #expect(status.contains("\nwork: \(why) (") && status.contains("\nwork: to sign in: \(error.hint ?? "?")\n"))
  }

  @Test func aCertificateThatNobodyKnowsIsTold() async throws {
    let session = try await PrivateSession(.withoutBus)
    let (certificate, key, log) = ("\(session.path)/c.pem", "\(session.path)/k.pem", "\(session.path)/openssl.log")
    let new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x"
    let names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    _ = try await Child.run(
      ["openssl"] + new.split(separator: " ").map(String.init) + names, environment: session.environment)
    let server = try Child(
      ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"],
      environment: session.environment, output: log)
    defer { server.end() }
    var port: Substring?
    try await eventually("its port") {
      port = try? String(contentsOfFile: log, encoding: .utf8).firstMatch(of: /ACCEPT .*:([0-9]+)\n/)?.1
      return port != nil
    }
    let number = try #require(port)
    let name = "127.0.0.1:\(number)"
    let daemon = try await KeyrackDaemon(
      in: session,
      configuration: "[provider tls]\nissuer=https://\(name)\nclient_id=x\n[account a]\nprovider=tls\n")
    let found = try await check(daemon)
    expect("fail provider tls: the certificate of \(name) is not from a known authority", in: found)
    #expect(found.lines.contains { $0.contains("ca_file=") })
  }

  @Test func aClockThatIsOffIsTold() async throws {
    let fixture = try await KeyrackFixture()
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let date = formatter.string(from: Date(timeIntervalSinceNow: 3000))
    try await fixture.provider.script("/token", status: 400, headers: ["Date": date, "Age": "600"])
    let found = try await check(fixture.daemon)
    #expect(found.status == 0)
    #expect(found.lines.contains { $0 == "warn clock: 60 min behind corp" || $0 == "warn clock: 59 min behind corp" })
  }

  @Test func aSessionThatHasEndedIsTold() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let error = #"{"error":"invalid_grant","error_description":"see https://a.test/why?code=s3cr3t"}"#
    try await fixture.provider.script(
      "/token", status: 400, headers: ["Content-Type": "application/json"], body: error)
    _ = try? await fixture.token(insteadOf: fixture.token())
    let found = try await check(fixture.daemon)
    expect("fail account work: the provider no longer accepts", in: found, hint: "keyrack login work")
    #expect(!found.lines.joined().contains("s3cr3t"))
  }

  // MARK: The configuration

  @Test func aBrokenFileIsNamedWithItsLine() async throws {
    let fixture = try await KeyrackFixture()
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider) + "provder=corp\n")
    let found = try await check(fixture.daemon)
    let broken = found.lines.first { $0.hasPrefix("fail configuration: ") }
    #expect(broken?.contains("keyrack.conf:8: [account work] provder") == true)
    #expect(broken?.hasSuffix("; the one before stays in force") == true)
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider, accounts: ["work", "b"]))
    expect(
      "warn configuration: it has changed since it was read", in: try await check(fixture.daemon), status: 0,
      hint: "keyrack reload")
  }
}

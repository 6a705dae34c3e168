import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// `keyrack login` against the daemon and a provider, with a browser, an address to paste, or another device.
@Suite(.timeLimit(.minutes(2))) struct BrowserCommandTests {
  /// A run of `keyrack` whose errors can be read meanwhile.
  private struct Run {
    let child: Child
    let folder: TemporaryFolder

    init(_ arguments: [String], _ fixture: KeyrackFixture, browser: String? = nil) throws {
      folder = try TemporaryFolder()
      let more = browser.map { ["BROWSER": $0] } ?? [:]
      child = try Child(
        [Products.path(of: "keyrack")] + arguments, environment: fixture.daemon.environment.merging(more) { $1 },
        output: "\(folder.path)/out", error: "\(folder.path)/err")
    }

    var complaints: String { (try? String(contentsOfFile: "\(folder.path)/err", encoding: .utf8)) ?? "" }
    var output: String { (try? String(contentsOfFile: "\(folder.path)/out", encoding: .utf8)) ?? "" }

    func address() async throws -> String {
      try await eventually("an address") { complaints.contains { $0 == "\n" } && complaints.contains("http://") }
      return String(try #require(complaints.split(separator: "\n").first { $0.hasPrefix("http://") }))
    }
  }

  /// Follows redirects, as a browser does.
  private static let browser = "curl -sLo /dev/null"

  @Test func theBrowserOfThePersonSignsIn() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let run = try Run(["login", "work"], fixture, browser: Self.browser)
    #expect(try await run.child.wait() == 0)
    #expect(run.complaints.hasPrefix("a browser opens; if none does, open this address:\n"))
    #expect(run.complaints.hasSuffix("signed in to work as alice\n"))
    #expect(run.output.isEmpty)
    #expect(try await fixture.status(of: "work").state == .active)
  }

  @Test func theReplyIsPrintedAsJSON() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let run = try Run(["login", "work", "--json"], fixture, browser: Self.browser)
    #expect(try await run.child.wait() == 0)
    #expect(run.output.contains(#""subject":"alice""#))
    #expect(run.output.split(separator: "\n").count == 1)
  }

  @Test func aDeniedSignInHasAStatusOfItsOwn() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.set(.init(consents: false))
    let run = try Run(["login", "work"], fixture, browser: Self.browser)
    #expect(try await run.child.wait() == 8)
    #expect(run.complaints.contains("work: the sign-in was refused"))
  }

  @Test func noBrowserIsOpenedWhereNoneIsWanted() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let mark = "\(fixture.session.path)/opened"
    let run = try Run(["login", "work", "--no-browser"], fixture, browser: "touch \(mark)")
    let address = try await run.address()
    try await Callback.opening(address).deliver()
    #expect(try await run.child.wait() == 0)
    #expect(run.complaints.hasPrefix("open this address in a browser:\n\(address)\n"))
    #expect(run.complaints.contains("--paste"))
    #expect(access(mark, F_OK) != 0)
  }

  @Test func ctrlCEndsTheSignInToo() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let run = try Run(["login", "work", "--no-browser"], fixture)
    let callback = try await Callback.opening(run.address())
    run.child.send(SIGINT)
    #expect(try await run.child.wait() == 130)
    #expect(try await fixture.status(of: "work").pendingLogin == nil)
    #expect(try await fixture.status(of: "work").state == .signedOut)
    try await eventually("the end of the listener") { await !callback.isOpen }
  }

  // MARK: At a terminal

  /// A run whose terminal is the test's.
  private struct Session: Sendable {
    let terminal: PseudoTerminal
    let process: CommandProcess

    init(_ arguments: [String], _ fixture: KeyrackFixture) throws {
      terminal = try PseudoTerminal()
      process = try CommandProcess(
        arguments, environment: fixture.daemon.environment.map { "\($0)=\($1)" }, terminal: terminal.path,
        complainsThere: true)
    }

    func shown(until text: String) async throws -> String {
      try await BlockingThread.run { terminal.read(until: text) }
    }

    func status() async throws -> Int32 { try await BlockingThread.run { process.result().status } }
  }

  @Test(arguments: [false, true]) func whoWaitsAtATerminalIsToldForWhat(_ json: Bool) async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let session = try Session(["login", "work", "--no-browser"] + (json ? ["--json"] : []), fixture)
    var shown = try await session.shown(until: "where the provider has it\r\n")
    try await Callback.opening(Self.address(in: shown)).deliver()
    #expect(try await session.status() == 0)
    // The terminal shows what is typed, after all that was printed.
    session.terminal.type("end\n")
    shown += try await session.shown(until: "end\r\n")
    #expect(shown.contains(#/waiting for the browser, \d+ min left; Ctrl-C ends the sign-in/#) == !json)
    if json { return }
    let logout = try Session(["logout", "work", "--wait"], fixture)
    _ = try await logout.shown(until: "waiting until the provider has been told; Ctrl-C leaves that to keyrackd\r\n")
    #expect(try await logout.status() == 0)
  }

  private static let prompt = "paste the address here (it is not shown): "

  private static func address(in shown: String) throws -> String {
    String(try #require(shown.split(whereSeparator: \.isNewline).first { $0.hasPrefix("http://") }))
  }

  @Test func thePastedAddressIsAskedForAgainWhereItIsWrong() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let session = try Session(["login", "work", "--paste"], fixture)
    let callback = try await Callback.opening(Self.address(in: session.shown(until: Self.prompt)))
    session.terminal.type(callback.with("state", "x").address + "\n")
    #expect(try await session.shown(until: Self.prompt).contains("this address is not of this sign-in"))
    session.terminal.type("hello\n")
    #expect(try await session.shown(until: Self.prompt).contains("keyrack: what was pasted holds no code\r\n"))
    #expect(!session.terminal.isEchoing)
    session.terminal.type(callback.address + "\n")
    let rest = try await session.shown(until: "signed in to work as alice")
    #expect(!rest.contains(try #require(callback["code"])))
    #expect(try await session.status() == 0)
    #expect(session.terminal.isEchoing)
  }

  @Test func aPastedRefusalIsToldWithTheWayToTryAgain() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.set(.init(consents: false))
    let session = try Session(["login", "work", "--paste"], fixture)
    let callback = try await Callback.opening(Self.address(in: session.shown(until: Self.prompt)))
    session.terminal.type(callback.address + "\n")
    let shown = try await session.shown(until: "keyrack: hint: keyrack login work --paste\r\n")
    #expect(shown.contains("keyrack: work: the sign-in was refused (access_denied"))
    #expect(try await session.status() == 8)
  }

  @Test(arguments: [("\u{3}", 130 as Int32), ("\u{4}", 1), ("\n", 1)])
  func whoGivesUpAtThePromptLeavesNothingPending(_ key: String, _ status: Int32) async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let session = try Session(["login", "work", "--paste"], fixture)
    _ = try await session.shown(until: Self.prompt)
    session.terminal.type(key)
    #expect(try await session.status() == status)
    #expect(session.terminal.isEchoing)
    #expect(try await fixture.status(of: "work").pendingLogin == nil)
  }

  @Test func aDeviceGetsItsCodeAsAPictureToo() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let session = try Session(["login", "work", "--device"], fixture)
    let complete = fixture.provider.url("/device?user_code=WDJB-1000")
    let shown = try await session.shown(until: "or open \(complete)")
    #expect(shown.contains("on any device, open \(fixture.provider.url("/device")) and enter the code"))
    #expect(shown.contains("    WDJB-1000\r\n"))
    #expect(shown.contains { "█▀▄".contains($0) })
    try await fixture.provider.decideDevices(.approve)
    _ = try await session.shown(until: "signed in to work as alice")
    #expect(try await session.status() == 0)
  }

  @Test func withoutATerminalThereIsNoPicture() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let run = try Run(["login", "work", "--device"], fixture)
    try await eventually("the code") { run.complaints.contains("WDJB-1000") }
    try await fixture.provider.decideDevices(.deny)
    #expect(try await run.child.wait() == 8)
    #expect(!run.complaints.contains { "█▀▄".contains($0) })
  }
}

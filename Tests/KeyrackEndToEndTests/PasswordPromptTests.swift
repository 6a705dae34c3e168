import TestSupport
import Glibc
import Testing

/// `keyrack login` and the person at the terminal.
@Suite(.timeLimit(.minutes(1)))
struct PasswordPromptTests {
  private static let login =
    #"{"ok":true,"account":"work","session":"0a","subject":"jo","scope":null,"remembered":true,"warnings":[]}"#

  private static let credentialsNeeded =
    #"{"ok":false,"error":{"code":"bad_request","message":"m","reason":"credentials_needed","retryable":false}}"#

  /// Starts a sign-in on a terminal and hands both to `body`, on a thread that may block.
  private func signIn(
    _ options: [String] = [], _ body: @escaping @Sendable (PseudoTerminal, CommandProcess) throws -> Void
  ) async throws -> (run: CommandRun, requests: [String]) {
    let daemon = try ScriptedDaemon([.reply(Self.credentialsNeeded), .reply(Self.login)])
    defer { daemon.stop() }
    let path = daemon.path
    let run = try await BlockingThread.run {
      let terminal = try PseudoTerminal()
      let process = try CommandProcess(
        ["login", "work"] + options, environment: ["KEYRACK_SOCKET=\(path)"], terminal: terminal.path)
      try body(terminal, process)
      let run = process.result()
      #expect(terminal.isEchoing)
      return run
    }
    return (run, daemon.requests)
  }

  @Test func theNameIsShownAndThePasswordIsNot() async throws {
    let (run, requests) = try await signIn { terminal, _ in
      #expect(terminal.read(until: "username for work: ") == "username for work: ")
      #expect(terminal.isEchoing)
      terminal.type("jo\n")
      #expect(terminal.read(until: "password for work: ") == "jo\r\npassword for work: ")
      #expect(!terminal.isEchoing)
      terminal.type("hunter 2é\n")
      #expect(terminal.read(until: "\n") == "\r\n")
    }
    #expect(run.status == 0)
    #expect(run.errors == "signed in to work as jo\n")
    #expect(
      requests == [
        #"{"op":"login","account":"work"}"#,
        #"{"op":"login","account":"work","method":"password","username":"jo","password":"hunter 2é"}"#,
      ])
  }

  @Test(arguments: [("\u{3}", 130 as Int32), ("\u{1C}", 131), ("\u{4}", 1), ("\n", 1)])
  func anAbandonedPromptLeavesTheTerminalAsItWas(key: String, status: Int32) async throws {
    let (run, requests) = try await signIn(["--username", "jo"]) { terminal, _ in
      _ = terminal.read(until: "password for work: ")
      terminal.type(key)
    }
    #expect(run.status == status)
    #expect(requests.count == 1)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func aSignalLeavesTheTerminalAsItWas(number: Int32) async throws {
    let (run, requests) = try await signIn(["--username", "jo"]) { terminal, process in
      _ = terminal.read(until: "password for work: ")
      process.send(signal: number)
    }
    #expect(run.status == 128 + number)
    #expect(requests.count == 1)
  }

  @Test func aStoppedPromptAsksAgain() async throws {
    let (run, requests) = try await signIn(["--username", "jo"]) { terminal, process in
      _ = terminal.read(until: "password for work: ")
      terminal.type("lost\u{1A}")
      process.waitUntilStopped()
      #expect(terminal.isEchoing)
      process.send(signal: SIGCONT)
      _ = terminal.read(until: "password for work: ")
      terminal.type("kept\n")
    }
    #expect(run.status == 0)
    #expect(requests.last?.contains(#""password":"kept""#) == true)
  }

  @Test func nobodyIsAskedForADaemonThatIsNotThere() async throws {
    let run = try await BlockingThread.run {
      let terminal = try PseudoTerminal()
      return try CommandProcess(
        ["login", "work"], environment: ["KEYRACK_SOCKET=/nowhere/keyrack.sock"], terminal: terminal.path
      ).result()
    }
    #expect(run.status == 7)
  }
}

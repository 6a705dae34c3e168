import Foundation
import KeyrackProtocol
import Testing

/// The built `keyrack` against a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1)))
struct CommandLineTests {
  private static let token =
    #"{"ok":true,"account":"work","access_token":"a.b-c_d~+/=","token_type":"Bearer","expires_at":null,"#
    + #""expires_in":null,"scope":null,"min_valid_met":true}"#
  private static let login =
    #"{"ok":true,"account":"work","session":"0a","subject":"jo","scope":null,"remembered":true,"warnings":[]}"#

  private func run(
    _ arguments: [String], input: String = "", _ steps: ScriptedDaemon.Step...
  ) async throws -> (run: CommandRun, requests: [String]) {
    let daemon = try ScriptedDaemon(steps)
    defer { daemon.stop() }
    let run = try await CommandRun.run(arguments, socket: daemon.path, input: input)
    return (run, daemon.requests)
  }

  private static func refusal(_ code: ErrorCode) -> String {
    #"{"ok":false,"error":{"code":"\#(code.rawValue)","message":"work: no","retryable":false}}"#
  }

  // MARK: What is sent

  @Test(arguments: [
    (["token", "work"], #"{"op":"token","account":"work"}"#),
    (
      ["token", "--issuer", "https://a.test", "--min-valid=90", "--scope", "mail read", "--timeout", "5"],
      #"{"op":"token","issuer":"https://a.test","min_valid":90,"scope":"mail read","timeout":5}"#
    ),
    (["--json", "token", "--", "-odd"], #"{"op":"token","account":"-odd"}"#),
    (["token", "work", "--rejected-stdin"], #"{"op":"token","account":"work","rejected":"from input"}"#),
    (["token", "work", "--id-token"], #"{"op":"token","account":"work","kind":"id"}"#),
    (["logout", "work"], #"{"op":"logout","account":"work"}"#),
    (["logout", "--wait", "work"], #"{"op":"logout","account":"work","wait":true}"#),
    (["status"], #"{"op":"status"}"#),
    (["status", "work"], #"{"op":"status","account":"work"}"#),
    (["cancel", "work"], #"{"op":"cancel","account":"work"}"#),
    (["reload"], #"{"op":"reload"}"#),
    (["version"], #"{"op":"version"}"#),
    (
      ["login", "work", "--username", "jo", "--password-stdin"],
      #"{"op":"login","account":"work","method":"password","username":"jo","password":"from input"}"#
    ),
    (
      ["login", "work", "--refresh-token-stdin", "--no-remember", "--force"],
      #"{"op":"login","account":"work","method":"refresh_token","refresh_token":"from input","remember":false,"#
        + #""force":true}"#
    ),
  ])
  func aCommandIsOneRequestLine(arguments: [String], request: String) async throws {
    let (run, requests) = try await run(
      arguments, input: "from input\r\nnot this", .reply(Self.refusal(.internal)))
    #expect(requests == [request])
    #expect(run.status == 1)
  }

  // MARK: What comes back

  @Test func aTokenIsPrintedByteForByteAndNothingElse() async throws {
    let (run, _) = try await run(["token", "work"], .reply(Self.token))
    #expect(run.text == "a.b-c_d~+/=\n")
    #expect(run.errors.isEmpty)
    #expect(run.status == 0)
  }

  @Test func aTokenThatIsShortOfTimeComesWithAWarning() async throws {
    let reply = Self.token.replacing(#""min_valid_met":true"#, with: #""min_valid_met":false"#)
      .replacing(#""expires_in":null"#, with: #""expires_in":20"#)
    let (run, _) = try await run(["token", "work"], .reply(reply))
    #expect(run.text == "a.b-c_d~+/=\n")
    #expect(run.errors == "keyrack: warning: work: the token could not be refreshed, it is good for only 20 s\n")
    #expect(run.status == 0)
  }

  @Test(arguments: ErrorCode.allCases)
  func everyRefusalHasItsExitStatus(code: ErrorCode) async throws {
    let (run, _) = try await run(["token", "work"], .reply(Self.refusal(code)))
    #expect(run.status == code.exitStatus)
    #expect(run.text.isEmpty)
    #expect(run.errors.hasPrefix("keyrack: work: no\n"))
    // What an older daemon cannot know.
    #expect(run.errors.contains("hint: keyrackd is of another version") == (code == .unknownOperation))
  }

  @Test func aHintIsOnTheSecondLine() async throws {
    let (hinted, _) = try await run(
      ["token", "work"],
      .reply(
        #"{"ok":false,"error":{"code":"login_required","message":"m","hint":"keyrack login work","retryable":false}}"#))
    #expect(hinted.errors == "keyrack: m\nkeyrack: hint: keyrack login work\n")
    let (waiting, _) = try await run(
      ["token", "work"],
      .reply(#"{"ok":false,"error":{"code":"throttled","message":"m","retry_after":30,"retryable":true}}"#))
    #expect(waiting.errors == "keyrack: m\nkeyrack: hint: try again in 30 s\n")
  }

  @Test(arguments: [
    (#"{ "ok": true, "new": [1], "account":"work","local":"done","remote":"done"}"#, 0 as Int32),
    (#"{"ok":false,"error":{"retryable":false,"code":"forbidden","message":"\u001b[2J"}}"#, 6),
  ])
  func jsonIsTheLineAsItCame(line: String, status: Int32) async throws {
    let (run, _) = try await run(["logout", "work", "--json"], .reply(line))
    #expect(run.text == line + "\n")
    #expect(run.errors.isEmpty)
    #expect(run.status == status)
  }

  @Test func eventsBeforeTheReplyArePassedOver() async throws {
    let (run, _) = try await run(["token", "work"], .reply(#"{"event":"device","user_code":"X"}"# + "\n" + Self.token))
    #expect(run.text == "a.b-c_d~+/=\n")
  }

  @Test func aReplyMayBeLongerThanARequest() async throws {
    let long = String(repeating: "x", count: 300_000)
    let (run, _) = try await run(["token", "work"], .reply(Self.token.replacing("a.b-c_d~+/=", with: long)))
    #expect(run.text == long + "\n")
  }

  @Test func escapeSequencesDoNotReachTheTerminal() async throws {
    let (refused, _) = try await run(
      ["token", "work"],
      .reply(
        #"{"ok":false,"error":{"code":"internal","message":"\u001b[2Ja\nb\u009b1m\u202e","hint":"\u0007","retryable":false}}"#
      ))
    #expect(refused.errors == "keyrack: \\u{1B}[2Ja\\u{A}b\\u{9B}1m\\u{202E}\nkeyrack: hint: \\u{7}\n")
    let (status, _) = try await run(
      ["status"],
      .reply(
        #"{"ok":true,"accounts":[{"account":"w\u001b[1m","provider":"p\r","state":"active","remembered":true,"saved":true}],"#
          + #""keyring":{"state":"ok"},"outbox":[],"orphans":["\u001bc"]}"#))
    #expect(status.status == 0)
    #expect(!status.output.contains(0x1B) && !status.output.contains(0x0D))
    #expect(status.text.contains("w\\u{1B}[1m"))
  }

  @Test func whatWasDoneIsSaidOnStandardError() async throws {
    let (login, _) = try await run(
      ["login", "work", "--username", "jo", "--password-stdin"], input: "pw\n",
      .reply(Self.login.replacing("[]", with: #"[{"code":"short","message":"the session ends soon"}]"#)))
    #expect(login.text.isEmpty && login.status == 0)
    #expect(login.errors == "signed in to work as jo\nkeyrack: warning: the session ends soon\n")
    let (logout, _) = try await run(
      ["logout", "work"], .reply(#"{"ok":true,"account":"work","local":"done","remote":"pending"}"#))
    #expect(logout.errors == "signed out of work; the provider will be told\n")
    let (cancel, _) = try await run(["cancel", "work"], .reply(#"{"ok":true,"account":"work","canceled":false}"#))
    #expect(cancel.errors == "no sign-in to work was under way\n")
    let (reload, _) = try await run(["reload"], .reply(#"{"ok":true,"added":["a","b"],"removed":[],"changed":["c"]}"#))
    #expect(reload.errors == "a: added\nb: added\nc: changed\n")
  }

  @Test func statusIsATableAndALineForEachTrouble() async throws {
    let (run, _) = try await run(
      ["status"],
      .reply(
        #"{"ok":true,"accounts":[{"account":"work","provider":"corp","state":"login_required","reason":"lost_rotation","#
          + #""subject":"jo","remembered":true,"saved":true,"last_error":{"code":"provider_error","message":"bad","at":0}},"#
          + #"{"account":"m","provider":"google","state":"active","remembered":true,"saved":true}],"#
          + #""keyring":{"state":"locked","message":"no prompt"},"outbox":[{"account":"old","since":0}],"orphans":["x"]}"#
      ))
    let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      lines.prefix(4) == [
        "ACCOUNT  PROVIDER  STATE                           EXPIRES  SUBJECT",
        "work     corp      login required (lost rotation)  -        jo",
        "m        google    active                          -        -", "",
      ])
    #expect(
      lines.dropFirst(4).map { $0.prefix { $0 != ":" } } == ["work", "work", "keyring", "keyring", "old", "x", ""])
    #expect(lines.contains("work: to sign in: keyrack login work"))
    #expect(lines.contains("keyring: locked: no prompt"))
  }

  @Test func aTroubleIsSaidOnceWithItsTimeAndWhatToDo() async throws {
    let now = Int(Date().timeIntervalSince1970)
    let error = #"{"code":"config_error","message":"work: bad client","hint":"mend it","at":\#(now - 300)}"#
    let lost = #"{"code":"temporarily_unavailable","message":"m: HTTP 500","hint":"no","at":\#(now + 60)}"#
    let (run, _) = try await run(
      ["status"],
      .reply(
        #"{"ok":true,"accounts":[{"account":"work","provider":"corp","state":"degraded","remembered":true,"saved":true,"#
          + #""last_error":\#(error)},{"account":"m","provider":"corp","state":"unknown_outcome","remembered":true,"#
          + #""saved":true,"next_attempt_at":\#(now - 60),"last_error":\#(lost)}],"#
          + #""keyring":{"state":"locked","since":\#(now - 300),"message":"no prompt"},"outbox":[],"orphans":[]}"#))
    #expect(
      run.text.components(separatedBy: "\n\n").last == """
        work: bad client (5 min ago)
        work: what to do: mend it
        m: the answer to its last refresh was lost: HTTP 500 (just now)
        m: next attempt now
        keyring: locked for 5 min: no prompt
        keyring: what to do: keyrack check

        """)
  }

  // MARK: No answer

  @Test(arguments: [["token", "work"], ["token", "work", "--json"], ["status"], ["reload"]])
  func withoutADaemonThePathIsNamed(arguments: [String]) async throws {
    let run = try await CommandRun.run(arguments, socket: "/nowhere/keyrack.sock")
    #expect(run.status == 7)
    #expect(run.text.isEmpty)
    #expect(run.errors.contains("nobody listens on /nowhere/keyrack.sock\n"))
    #expect(run.errors.contains("hint: systemctl --user start keyrack.socket"))
  }

  @Test func withoutAnEnvironmentItSaysWhatIsMissing() async throws {
    let run = try await CommandRun.run(["token", "work"], socket: nil)
    #expect(run.status == 7)
    #expect(run.errors.contains("neither KEYRACK_SOCKET is set, nor XDG_RUNTIME_DIR to an absolute path"))
  }

  @Test func versionNeedsNoDaemon() async throws {
    let alone = try await CommandRun.run(["version"], socket: "/nowhere/keyrack.sock")
    #expect(alone.text == "keyrack \(Keyrack.version)\n")
    #expect(alone.errors == "keyrackd: not running\n")
    #expect(alone.status == 0)
    let (both, _) = try await run(
      ["version"], .reply(#"{"ok":true,"name":"keyrackd","version":"9","protocol":1,"operations":[]}"#))
    #expect(both.text == "keyrack \(Keyrack.version)\nkeyrackd 9\n")
  }

  @Test(arguments: [ScriptedDaemon.Step.close, .replyAndClose(#"{"ok":true"#)])
  func aDaemonThatClosesIsNoDaemon(step: ScriptedDaemon.Step) async throws {
    let (run, _) = try await run(["token", "work"], step)
    #expect(run.status == 7)
    #expect(run.errors.contains("closed the connection before it answered"))
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request", "{}", "[]", #"{"no":"secret-of-work"}"#])
  func aForeignLineIsAClearErrorAndNotShown(line: String) async throws {
    let (run, _) = try await run(["token", "work"], .reply(line))
    #expect(run.status == 1)
    #expect(run.text.isEmpty)
    #expect(run.errors.contains("does not speak Keyrack's protocol: a line that is no reply\n"))
    #expect(!run.errors.contains("secret"))
  }

  @Test func aDaemonThatHangsIsGivenUp() async throws {
    let (run, _) = try await run(["token", "work", "--timeout", "1"], .silence)
    #expect(run.status == 4)
    #expect(run.errors.contains("keyrackd did not answer within 6 s"))
  }

  @Test(arguments: [
    ("", "no password came"), ("\n", "no password came"), (String(repeating: "x", count: 4097), "longer"),
  ])
  func aPasswordOnStandardInputHasToBeOne(input: String, complaint: String) async throws {
    let (run, requests) = try await run(["login", "work", "--username", "jo", "--password-stdin"], input: input)
    #expect(run.status == 1)
    #expect(run.errors.contains(complaint))
    #expect(requests.isEmpty)
  }
}

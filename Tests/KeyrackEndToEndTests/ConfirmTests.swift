import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// `confirm=yes`, with the real daemon and an askpass program.
@Suite(.timeLimit(.minutes(2))) struct ConfirmTests {
  // MARK: The answer

  @Test func aYesBringsTheTokenAndCountsOnce() async throws {
    let confirm = try await ConfirmFixture()
    let token = try await confirm.allowed()
    #expect(try await confirm.provider.accepts(accessToken: token))
    #expect(try await confirm.allowed() == token)
    let question = try #require(confirm.askpass.asked.last)
    #expect(confirm.askpass.asked.count == 2)
    #expect(question.hasPrefix("Keyrack: may this program have a token of the account work?\n\nProgram: /"))
    #expect(question.hasSuffix("\n\nYes counts once."))
  }

  @Test func aNoIsTheSameWhateverThereIs() async throws {
    let confirm = try await ConfirmFixture()
    let valid = try await confirm.denied()
    #expect(valid.code == .forbidden)
    #expect(valid.reason == "not_confirmed")
    #expect(valid.message == "work: the person at this machine said no")

    let token = try await confirm.allowed()
    try await confirm.provider.script("/token", hold: true)
    confirm.askpass.answer(0)
    let refresh = try await confirm.pending(TokenOperation(account: "work", rejected: Secret(token)))
    try await confirm.provider.waitForRequests("/token", count: 2)
    #expect(try await confirm.denied() == valid)
    try await confirm.provider.release("/token")
    #expect(try await refresh.token() != token)

    try await confirm.daemon.restart()
    #expect(try await confirm.denied() == valid)
    #expect(try await confirm.provider.log().count { $0.path == "/token" } == 2)

    try await confirm.provider.set(.init(accessLifetime: 0.01))
    _ = try await confirm.allowed()
    let requests = try await confirm.provider.log().count
    #expect(try await confirm.denied() == valid)
    #expect(try await confirm.provider.log().count == requests)
  }

  @Test func whereThereIsNoDisplayThatIsSaidAtOnce() async throws {
    let confirm = try await ConfirmFixture(environment: ["DISPLAY": ""])
    let (took, error) = try await timed { try await confirm.daemon.failure(TokenOperation(account: "work")) }
    #expect(error.code == .forbidden)
    #expect(error.reason == "no_display")
    #expect(took < .seconds(5))
    #expect(confirm.askpass.asked.isEmpty)
  }

  // MARK: Meanwhile

  @Test func aQuestionDelaysNobodyElse() async throws {
    let confirm = try await ConfirmFixture()
    try await confirm.fixture.signIn("other", username: "bob", password: KeyrackFixture.bobsPassword)
    let others = try await confirm.fixture.token("other")
    let waiting = try await confirm.pending()
    let start = ContinuousClock.now
    for _ in 0..<20 { #expect(try await confirm.fixture.token("other") == others) }
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(try await confirm.fixture.status().accounts.count == 2)
    #expect(confirm.askpass.asked.count == 1)
    confirm.askpass.answer(0)
    #expect(try await confirm.provider.accepts(accessToken: waiting.token()))
  }

  @Test func twoHundredCallersOpenOneDialog() async throws {
    let confirm = try await ConfirmFixture(lifetime: 600)
    var callers = [try await confirm.pending()]
    for _ in 1..<200 {
      let wire = try Wire(confirm.daemon.socket)
      try await wire.send(TokenOperation(account: "work").line())
      callers.append(wire)
    }
    confirm.askpass.answer(0)
    var tokens: Set<String> = []
    for caller in callers { tokens.insert(try await caller.token()) }
    #expect(tokens.count == 1)
    #expect(confirm.askpass.asked.count == 1)
  }

  // MARK: The end of a question

  @Test func theDialogGoesWithItsCallers() async throws {
    let confirm = try await ConfirmFixture()
    let waiting = try await confirm.pending(TokenOperation(account: "work", timeout: 1))
    #expect(try await waiting.line()?.contains("\"code\":\"timeout\"") == true)
    try await confirm.askpass.waitForNone()
    #expect(try await confirm.provider.accepts(accessToken: confirm.allowed()))
  }

  @Test(arguments: [SIGTERM, SIGKILL]) func theDialogGoesWithTheDaemon(_ signal: Int32) async throws {
    let confirm = try await ConfirmFixture()
    let waiting = try await confirm.pending()
    await confirm.daemon.send(signal)
    #expect(try await waiting.line()?.contains("\"code\":\"shutting_down\"") ?? (signal == SIGKILL))
    try await confirm.daemon.end()
    try await confirm.askpass.waitForNone()
  }

  // MARK: Remembered

  @Test func aYesIsRememberedForThatProgram() async throws {
    let confirm = try await ConfirmFixture(lifetime: 600)
    confirm.askpass.answer(0)
    #expect(try await confirm.daemon.keyrack("token", "work").status == 0)
    #expect(try await confirm.daemon.keyrack("token", "work").status == 0)
    #expect(confirm.askpass.asked.count == 1)
    #expect(confirm.askpass.asked[0].contains("\nProgram: \(Products.path(of: "keyrack"))\n"))
    #expect(confirm.askpass.asked[0].hasSuffix("Yes counts for 10 minutes."))
    #expect(try await confirm.denied().reason == "not_confirmed")
    #expect(confirm.askpass.asked.count == 2)
  }

  @Test func aReloadOfTheAccountAndARestartForgetIt() async throws {
    let confirm = try await ConfirmFixture(lifetime: 600)
    _ = try await confirm.allowed()
    _ = try await confirm.fixture.token()
    #expect(confirm.askpass.asked.count == 1)
    try confirm.daemon.write(configuration: ConfirmFixture.configuration(confirm.provider, 300))
    _ = try await confirm.daemon.call(ReloadOperation())
    #expect(try await confirm.denied().reason == "not_confirmed")
    _ = try await confirm.allowed()
    _ = try await confirm.fixture.token()
    #expect(confirm.askpass.asked.count == 3)
    try await confirm.daemon.restart()
    #expect(try await confirm.denied().reason == "not_confirmed")
  }

  @Test func twoProgramsAreToldApart() async throws {
    let confirm = try await ConfirmFixture(lifetime: 600)
    let line = #"{"op":"token","account":"work"}"#
    let python = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      s.sendall(sys.argv[2].encode() + b"\\n"); print(s.makefile().readline(), end="")
      """
    let programs = [
      ["python3", "-c", python, confirm.daemon.socket, line],
      ["socat", "-t35", "-", "UNIX-CONNECT:\(confirm.daemon.socket)"],
    ]
    for (status, program) in zip([0, 1] as [Int32], programs) {
      confirm.askpass.answer(status)
      let answer = try await Child.run(
        program, environment: confirm.daemon.environment, input: line + "\n", within: .seconds(30))
      #expect(answer.output.contains(status == 0 ? "access_token" : "not_confirmed"))
    }
    #expect(confirm.askpass.asked.count == 2)
    #expect(confirm.askpass.asked[0].contains("\nProgram: a script run by /"))
    #expect(confirm.askpass.asked[0].contains("python3"))
    #expect(confirm.askpass.asked[1].contains("\nProgram: /usr/bin/socat"))
  }
}

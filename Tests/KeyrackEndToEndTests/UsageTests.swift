import Testing

/// What the built `keyrack` says of a command line without asking anybody.
@Suite(.timeLimit(.minutes(1))) struct UsageTests {
  @Test(arguments: [
    ([], "which command?"),
    (["frob"], "frob: no such command"),
    (["token"], "token: either an ACCOUNT or --issuer"),
    (["token", "work", "--issuer", "https://a.test"], "token: either an ACCOUNT or --issuer"),
    (["token", "work", "--min-valid", "soon"], "--min-valid: expected a whole number of seconds, 0 to 86400"),
    (["token", "work", "--timeout=0"], "--timeout: expected a whole number of seconds, 1 to 86400"),
    (["token", "work", "--min-valid"], "--min-valid: needs a value"),
    (["token", "work", "--json=yes"], "--json: takes no value"),
    (["token", "work", "--json", "--json"], "--json: given twice"),
    (["token", "work", "--wait"], "--wait: not an option of token"),
    (["token", "work", "-x"], "-x: no such option"),
    (["login"], "login: which account?"),
    (["login", ""], "login: which account?"),
    (["login", "work", "hunter2"], "login takes one argument, not 2"),
    (["login", "work", "-phunter2"], "-p: no such option"),
    (["login", "work", "--password=hunter2"], "--password: no such option"),
    (["login", "work", "--password-stdin"], "--username: needed"),
    (["login", "work", "--password-stdin", "--refresh-token-stdin"], "--refresh-token-stdin: does not go with"),
    (["login", "work", "--refresh-token-stdin", "--username", "jo"], "--username: does not go with"),
    (["reload", "work"], "reload takes no argument"),
    (["help", "frob"], "frob: no such command"),
  ])
  func aUsageErrorNamesWhatIsWrongAndAsksNobody(arguments: [String], complaint: String) async throws {
    let run = try await CommandRun.run(arguments, socket: "/nowhere/keyrack.sock")
    #expect(run.status == 2)
    #expect(run.text.isEmpty)
    #expect(run.errors.hasPrefix("keyrack: \(complaint)"))
    #expect(run.errors.contains("--help\n"))
    #expect(!run.errors.contains("hunter2"))
  }

  @Test(arguments: ["login", "logout", "token", "status", "cancel", "reload", "version", "help"])
  func everyCommandHasHelp(command: String) async throws {
    let help = try await CommandRun.run([command, "--help"], socket: nil)
    #expect(help.text.hasPrefix("usage: keyrack \(command)"))
    #expect(help.status == 0 && help.errors.isEmpty)
    let same = try await CommandRun.run(["help", command], socket: nil)
    #expect(same.text == help.text)
    let overview = try await CommandRun.run(["--help"], socket: nil)
    #expect(overview.text.contains("\n  \(command) ") && overview.status == 0)
  }
}

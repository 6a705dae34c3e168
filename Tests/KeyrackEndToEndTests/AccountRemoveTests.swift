import Glibc
import TestSupport
import Testing

/// `keyrack account remove` and `keyrack account list`, against a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1)))
struct AccountRemoveTests {
  private static let remove = ["account", "remove", "work"]
  private static let mine = "# mine\n[provider corp]\nclient_id=c\n\n# of the others\n[account mail]\nprovider=corp\n"
  private static let both = Lines.status(
    Lines.account("work", of: "work") + "," + Lines.account("mail", of: "corp"))
  private let home = try? ConfigurationHome()

  @Test func theAccountGoesAndItsOwnProviderWithIt() async throws {
    let home = try #require(home)
    try home.write(Self.mine + "\n[provider work]\nclient_id=w\n\n[account work]\nprovider=work\n")
    let outcome = try await home.run(
      Self.remove + ["--yes"], [Self.both, Lines.loggedOut, Lines.reload, Lines.secret])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      outcome.requests == [
        #"{"op":"status"}"#, #"{"op":"logout","account":"work","wait":true}"#, #"{"op":"reload"}"#,
        #"{"op":"secret","provider":"work","secret":null}"#,
      ])
    #expect(home.text?.trimmingLines == Self.mine.trimmingLines)
    #expect(outcome.run.errors == "removed work from \(home.file)\n")
  }

  @Test func whatItServedIsServedNoLonger() async throws {
    let home = try #require(home)
    let uses = "\n[use git https://git.example.org]\naccount=work\n\n[use git https://h]\naccount=mail\n"
    try home.write(Self.mine + "\n[account work]\nprovider=corp\n" + uses)
    let outcome = try await home.run(Self.remove + ["--yes"], [Self.both, Lines.loggedOut, Lines.reload])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(home.text?.trimmingLines == (Self.mine + "\n[use git https://h]\naccount=mail\n").trimmingLines)
  }

  @Test func aProviderThatOthersUseStays() async throws {
    let home = try #require(home)
    try home.write("[provider work]\nclient_id=w\n\n[account work]\nprovider=work\n\n[account b]\nprovider=work\n")
    let outcome = try await home.run(
      Self.remove + ["--yes"],
      [Lines.status(Lines.account("work", of: "work")), Lines.loggedOut, Lines.reload])
    #expect(outcome.operations == ["status", "logout", "reload"])
    #expect(home.text?.contains("[provider work]") == true && home.text?.contains("[account work]") == false)
  }

  @Test func aProviderThatIsStillToBeToldStays() async throws {
    let home = try #require(home)
    try home.write("[provider work]\nclient_id=w\n\n[account work]\nprovider=work\n")
    let outcome = try await home.run(
      Self.remove + ["--yes"],
      [Self.both, Lines.loggedOut.replacing(#""remote":"done""#, with: #""remote":"pending""#), Lines.reload])
    #expect(outcome.run.status == 0)
    #expect(outcome.operations == ["status", "logout", "reload"])
    #expect(home.text?.contains("[provider work]") == true && home.text?.contains("[account work]") == false)
    #expect(outcome.run.errors.contains("warning: the provider is still to be told"))
  }

  @Test(arguments: [("y\n", 0 as Int32), ("yes\n", 0), ("\n", 1), ("n\n", 1), ("\u{3}", 130), ("\u{4}", 1)])
  func thePersonIsAsked(answer: String, status: Int32) async throws {
    let home = try #require(home)
    let before = "[account work]\nprovider=corp\n"
    try home.write(before)
    let outcome = try await home.converse(Self.remove, [Self.both, Lines.loggedOut, Lines.reload]) { terminal, _ in
      _ = terminal.read(until: "sign out of work, and remove it? [y/N] ")
      terminal.type(answer)
    }
    #expect(outcome.run.status == status)
    #expect(outcome.operations == (status == 0 ? ["status", "logout", "reload"] : ["status"]))
    #expect((home.text == before) == (status != 0))
  }

  @Test func withoutATerminalYesHasToBeSaid() async throws {
    let home = try #require(home)
    try home.write("[account work]\nprovider=corp\n")
    let outcome = try await home.run(Self.remove, [Self.both])
    #expect(outcome.run.status == 2)
    #expect(outcome.run.errors.contains("hint: keyrack account remove work --yes\n"))
  }

  @Test func aFileOfAnotherIsNamedAndLeft() async throws {
    let home = try #require(home)
    try home.write("")
    mkdir(home.directory + "/keyrack.conf.d", 0o700)
    let fragment = home.directory + "/keyrack.conf.d/more.conf"
    try ConfigurationHome.write("[account work]\nprovider=corp\n", to: fragment)
    let outcome = try await home.run(Self.remove + ["--yes"], [Self.both])
    #expect(outcome.run.status == 1)
    #expect(outcome.operations == ["status"])
    #expect(outcome.run.errors.contains("work: configured in \(fragment), which is yours to edit\n"))
    #expect(ConfigurationHome.read(fragment) == "[account work]\nprovider=corp\n")
    let unknown = try await home.run(["account", "remove", "x", "--yes"], [Self.both])
    #expect(unknown.run.errors == "keyrack: x: no such account\nkeyrack: hint: keyrack account list\n")
    let orphan = try await home.run(
      ["account", "remove", "x", "--yes"], [Self.both.replacing(#""orphans":[]"#, with: #""orphans":["x"]"#)])
    #expect(
      orphan.run.errors == "keyrack: x: in the keyring, but not configured\nkeyrack: hint: keyrack logout x\n")
  }

  @Test func aFailedLogoutAndARefusedConfigurationLeaveTheFile() async throws {
    let home = try #require(home)
    let before = "[account work]\nprovider = corp\n"
    try home.write(before)
    let kept = try await home.run(Self.remove + ["--yes"], [Self.both, Lines.refusal("keyring_error")])
    #expect(kept.run.status == 5)
    #expect(home.text == before)
    let refused = try await home.run(
      Self.remove + ["--yes"], [Self.both, Lines.loggedOut, Lines.refusal("config_error")])
    #expect(refused.run.status == 1)
    #expect(home.text == before)
  }

  @Test func theListIsNamesProvidersAndStates() async throws {
    let home = try #require(home)
    let outcome = try await home.run(["account", "list"], [Self.both])
    #expect(outcome.run.text == "NAME  PROVIDER  STATE\nwork  work      active\nmail  corp      active\n")
    #expect(try await home.run(["account", "list", "--json"], [Self.both]).run.text == Self.both + "\n")
    let none = try await home.run(["account", "list"], [Lines.noAccounts])
    #expect(none.run.output.isEmpty && none.run.errors.contains("keyrack account add NAME --provider NAME"))
  }
}

extension String {
  /// Without the empty lines, which the writer of key files sets as it likes.
  var trimmingLines: [Substring] { split(separator: "\n") }
}

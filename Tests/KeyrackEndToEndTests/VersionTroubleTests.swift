import KeyrackProtocol
import TestSupport
import Testing

/// A daemon that is newer or older than the command line, or is busy, as a person sees it.
@Suite(.timeLimit(.minutes(1))) struct VersionTroubleTests {
  @Test(arguments: [
    (
      #"{"ok":true,"name":"keyrackd","version":"9","protocol":1,"operations":["version","proof"]}"#,
      "warn daemon: keyrackd 9, and this is keyrack \(Keyrack.version)\n"
    ),
    (
      #"{"ok":true,"name":"keyrackd","version":"9","protocol":2,"operations":[]}"#,
      "fail daemon: keyrackd 9 speaks version 2 of the protocol, and this keyrack \(Keyrack.version) version 1\n"
    ),
    (
      #"{"ok":false,"error":{"code":"busy","message":"too many","hint":"wait","retryable":true}}"#,
      "fail daemon: refuses to look: too many\n     wait\n"
    ),
    (
      #"{"ok":true,"name":"keyrackd","release":9}"#,
      "fail daemon: keyrackd's answer is of no form that this version knows ("
    ),
    (#"{"hello":"world"}"#, "fail daemon: what listens on "),
  ])
  func whateverTheDaemonSaysOfItsVersionIsALine(_ reply: String, _ line: String) async throws {
    let found = try await ConfigurationHome().run(["check"], [reply, #"{"ok":true,"checks":[]}"#])
    #expect(found.run.text.contains(line), "\(found.run.text)")
    #expect(found.run.status == (line.hasPrefix("warn") ? 0 : 1))
  }

  @Test func bothVersionsArePrintedAndThatTheyDiffer() async throws {
    let newer = #"{"ok":true,"name":"keyrackd","version":"9","protocol":1,"operations":["version","proof"]}"#
    let found = try await ConfigurationHome().run(["version"], [newer])
    #expect(found.run.text == "keyrack \(Keyrack.version)\nkeyrackd 9\n")
    #expect(
      found.run.errors
        == "keyrack: warning: these are different versions; systemctl --user restart keyrack.service, where both were "
        + "installed together\n")
    #expect(found.run.status == 0)
    let same = newer.replacing(#""9""#, with: #""\#(Keyrack.version)""#)
    #expect(try await ConfigurationHome().run(["version"], [same]).run.errors.isEmpty)
  }

  @Test func anErrorThatIsNewerKeepsItsWords() async throws {
    let reply = #"{"ok":false,"error":{"code":"quota","message":"work: too many","hint":"wait","retryable":true}}"#
    let found = try await ConfigurationHome().run(["token", "work"], [reply])
    #expect(found.run.errors == "keyrack: work: too many\nkeyrack: hint: wait\n")
    #expect(found.run.status == 1)
    let json = try await ConfigurationHome().run(["token", "work", "--json"], [reply])
    #expect(json.run.text == reply + "\n")
  }

  private static let laterStatus = Lines.status(
    Lines.account("work", of: "corp").replacing("active", with: "hibernating"))

  @Test(arguments: [laterStatus, #"{"ok":true}"#, #"{"ok":"secret-of-work"}"#])
  func aReplyOfAnotherFormIsNotTakenForAnotherProgramNorShown(_ reply: String) async throws {
    let found = try await ConfigurationHome().run(["status"], [reply])
    #expect(found.run.errors.hasPrefix("keyrack: keyrackd's answer is of no form that this version knows ("))
    #expect(found.run.errors.contains("hint: see whether they are of different versions (keyrack version)"))
    #expect(!found.run.errors.contains("secret") && found.run.text.isEmpty)
    #expect(found.run.status == 1)
  }
}

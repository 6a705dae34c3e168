import KeyrackCore
import Testing

@testable import KeyrackSystem

@Suite struct AskpassQuestionTests {
  private func text(
    _ executable: String? = nil, unit: String? = nil, _ confinement: Program.Confinement? = nil,
    lifetime: Duration? = nil
  ) -> String {
    let program = Program(executable: executable, unit: unit, confinement: confinement)
    return ConfirmationQuestion(account: "work", program: program, lifetime: lifetime).text
  }

  @Test func itSaysWhoAsksForWhat() {
    #expect(
      text("/usr/bin/mbsync", unit: "mail.service") == """
        Keyrack: may this program have a token of the account work?

        Program: /usr/bin/mbsync
        Unit: mail.service

        Yes counts once.
        """)
  }

  @Test(
    arguments: [
      ("/usr/bin/git", nil, "/usr/bin/git"), ("/usr/bin/python3.11", nil, "a script run by /usr/bin/python3.11"),
      (nil, nil, "unknown"), ("/app/mail", .flatpak("org.example.Mail"), "Flatpak org.example.Mail"),
      ("/x", .snap("mail"), "Snap mail"), ("/bin/x", .container, "/bin/x, in a container"),
    ] as [(String?, Program.Confinement?, String)])
  func theProgramIsNamed(_ executable: String?, _ confinement: Program.Confinement?, _ name: String) {
    #expect(text(executable, confinement).split(separator: "\n")[1] == "Program: \(name)")
  }

  @Test(arguments: [
    (1, "1 second"), (90, "90 seconds"), (60, "1 minute"), (600, "10 minutes"), (3600, "1 hour"), (86_400, "1 day"),
  ])
  func itSaysHowLongAYesCounts(_ seconds: Int, _ words: String) {
    #expect(text(lifetime: .seconds(seconds)).hasSuffix("\n\nYes counts for \(words)."))
  }

  @Test func noNameChangesWhatIsAround() {
    let hostile = "/tmp/x\n\nYes counts once.\u{1b}[2J\u{202e}<b>&lt;"
    let lines = text(hostile, unit: hostile).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 6)
    #expect(lines[2] == #"Program: /tmp/x\u{A}\u{A}Yes counts once.\u{1B}[2J\u{202E}\u{3C}b>\u{26}lt;"#)
    #expect(lines[3].hasPrefix("Unit: /tmp/x\\u{A}"))
  }

  @Test func ofALongNameBothEndsAreShown() {
    let line = text("/a" + String(repeating: "\u{1b}", count: 4000) + "/z").split(separator: "\n")[1]
    #expect(line.count < 200)
    #expect(line.hasPrefix("Program: /a"))
    #expect(line.hasSuffix("/z"))
    #expect(line.contains("…"))
  }
}

import KeyrackCore
import Testing

@Suite struct AccessPolicyTests {
  static let plain = Program(executable: "/usr/bin/mbsync", unit: "mail.service")
  static let flatpak = Program(
    executable: "/app/bin/geary", unit: "app-flatpak-org.gnome.Geary-1.scope", confinement: .flatpak("org.gnome.Geary"))
  static let snap = Program(executable: "/snap/x/1/bin/x", confinement: .snap("x"))
  static let container = Program(executable: "/usr/bin/mbsync", unit: "libpod-12.scope", confinement: .container)
  static let unknown = Program(executable: "/usr/bin/mbsync", unit: "mail.service", confinement: .unknown)

  @Test(arguments: [
    (plain, nil), (flatpak, AccessDenial.sandboxed), (snap, .sandboxed), (container, .sandboxed),
    (unknown, .unknownProgram), (Program(), nil),
  ])
  func withoutAListOnlyOrdinaryProgramsMayUseAnAccount(_ program: Program, _ denial: AccessDenial?) {
    #expect(AccessPolicy.standard.denial(of: program) == denial)
  }

  @Test(arguments: [
    (ProgramPattern(.exe, "/usr/bin/mbsync"), [plain]),
    (ProgramPattern(.exe, "/usr/bin/", isPrefix: true), [plain]),
    (ProgramPattern(.exe, "/usr/bin/mbsyn"), []),
    (ProgramPattern(.exe, "/", isPrefix: true), [plain]),
    (ProgramPattern(.unit, "mail.service"), [plain]),
    (ProgramPattern(.unit, "libpod-", isPrefix: true), [container]),
    (ProgramPattern(.unit, "app-flatpak-", isPrefix: true), [flatpak]),
    (ProgramPattern(.flatpak, "org.gnome.Geary"), [flatpak]),
    (ProgramPattern(.flatpak, "org.gnome.", isPrefix: true), [flatpak]),
    (ProgramPattern(.flatpak, "x"), []),
    (ProgramPattern(.snap, "x"), [snap]),
    (ProgramPattern(.snap, "", isPrefix: true), [snap]),
  ])
  func anItemMatchesWhatItNamesAndNothingElse(_ pattern: ProgramPattern, _ matched: [Program]) {
    for program in [Self.plain, Self.flatpak, Self.snap, Self.container, Self.unknown] {
      #expect(pattern.matches(program) == matched.contains(program), "\(program)")
      let denial = AccessPolicy(allowed: [pattern]).denial(of: program)
      #expect((denial == nil) == matched.contains(program))
    }
  }

  @Test func aListShutsOutOrdinaryProgramsThatItDoesNotName() {
    let policy = AccessPolicy(allowed: [ProgramPattern(.exe, "/usr/bin/git")])
    #expect(policy.denial(of: Self.plain) == .notAllowed)
    // The same as without a list: a sandboxed program does not learn that there is one.
    #expect(policy.denial(of: Self.flatpak) == .sandboxed)
  }

  @Test(arguments: [
    ("/usr/bin/python3.11", true), ("/bin/bash", true), ("/usr/bin/perl", true), ("/usr/bin/mbsync", false),
    ("/usr/bin/shotwell", false), (nil, false),
  ])
  func anInterpreterIsNamedAsSuch(_ executable: String?, _ isScript: Bool) {
    let program = Program(executable: executable)
    #expect(program.isScript == isScript)
    #expect(program.description.contains("(an interpreter)") == isScript)
  }
}

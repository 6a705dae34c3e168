import KeyrackProtocol
import TestSupport
import Testing

/// A keyring that is read as ever and cannot write its files.
@Suite(.timeLimit(.minutes(2))) struct FullDiskTests {
  private static let trouble = "storing: the Secret Service failed, and does not say why"
  private static let lost = "its newest refresh token is not in the keyring, and lost if keyrackd stops"

  @Test func whatARefreshBroughtAndIsNotSavedIsToldWithWhatToDo() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    try await fixture.session.fillDisk()
    let run = try await fixture.daemon.keyrack("token", "work", "--rejected-stdin", input: first + "\n")
    #expect(run.status == 0 && run.error.isEmpty)
    #expect(fixture.daemon.said.contains("work: not saved: the keyring failed (\(Self.trouble))\n"))
    let status = try await fixture.daemon.keyrack("status").output
    #expect(status.contains("\nwork: not in the keyring yet: the session would be lost if keyrackd stopped now\n"))
    #expect(status.contains(": \(Self.trouble)\nkeyring: what to do: keyrack check\n"))
    let check = try await fixture.daemon.keyrack("check")
    #expect(check.status == 1)
    #expect(
      check.output.contains(
        "fail keyring: \(Self.trouble)\n     see whether the disk with its files is full or read-only, "
          + "else start it anew; then keyrack check\n"))
    #expect(check.output.hasSuffix("warn account work: \(Self.lost)\n     see keyring\n"))
    let next = try await fixture.daemon.keyrack("token", "work", "--rejected-stdin", input: run.output)
    #expect(next.status == 5)
    #expect(next.error == "keyrack: work: the keyring failed (\(Self.trouble))\nkeyrack: hint: keyrack check\n")
    try await fixture.session.makeRoom()
    try await eventually("the newest token in the keyring", within: .seconds(10)) {
      try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken())
    }
  }

  @Test func aSignOutThatIsOwedTwiceIsToldAndMadeUpFor() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    try await fixture.session.fillDisk()
    try await fixture.provider.script("/revoke", count: 1000, status: 503)
    let run = try await fixture.daemon.keyrack("logout", "work")
    #expect(run.status == 0)
    #expect(
      run.error == """
        signed out of work; the provider will be told
        keyrack: warning: the keyring cannot be written: what it holds is not used any more, and removed when it can be

        """)
    let answer = "127.0.0.1:\(fixture.provider.port) answered HTTP 503"
    try await eventually("the answer of the provider") {
      try await fixture.status().outbox.first?.lastError?.message == answer
    }
    let status = try await fixture.daemon.keyrack("status").output
    #expect(status.contains("\nwork: signed out ") && status.contains("; last error: \(answer)\n"))
    #expect(
      try await fixture.daemon.keyrack("check").output.hasSuffix(
        "warn sign-out of work: the provider is still to be told: \(answer)\n"
          + "     nothing has to be done: it is tried again for a week\n"))
    try await fixture.session.makeRoom()
    // It knows no token then, and so has none to revoke.
    try await fixture.provider.reset()
    try await fixture.keyringHolds(0)
    try await eventually("nothing to be owed", within: .seconds(15)) { try await fixture.status().outbox.isEmpty }
  }

  @Test func aSignInThatCannotBeSavedSaysSo() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.session.fillDisk()
    let run = try await fixture.daemon.keyrack(
      "login", "work", "--username", "alice", "--password-stdin", input: KeyrackFixture.password + "\n")
    #expect(run.status == 0)
    #expect(
      run.error == """
        signed in to work
        keyrack: warning: not saved, and lost if keyrackd stops before it is: the keyring failed (\(Self.trouble)); \
        what to do: keyrack check

        """)
    #expect(try await fixture.status(of: "work").state == .unsaved)
    try await fixture.daemon.stop()
    #expect(fixture.daemon.said.contains("work: lost: its newest refresh token could not be put into the keyring;"))
  }
}

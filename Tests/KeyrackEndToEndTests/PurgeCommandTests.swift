import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// `keyrack purge`: the programs, gnome-keyring and a provider; and the words, with a daemon that answers by a script.
@Suite(.timeLimit(.minutes(2))) struct PurgeCommandTests {
  private static let purged = #"{"ok":true,"removed":3,"revoked":1,"failed":2}"#
  private let status = Lines.status(Lines.account("work", of: "corp")).replacing(
    #""orphans":[]"#, with: #""orphans":["gone"]"#)

  @Test func nothingOfKeyracksRemainsAndTheProviderIsTold() async throws {
    let fixture = try await KeyrackFixture(accounts: ["work", "gone", "owing"])
    for account in ["work", "gone", "owing"] { try await fixture.signIn(account) }
    _ = try await fixture.daemon.call(SecretOperation(provider: "corp", secret: Secret("s")))
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider, accounts: ["work", "owing"]))
    _ = try await fixture.daemon.call(ReloadOperation())
    try await fixture.provider.script("/revoke", status: 503, headers: ["Retry-After": "60"])
    _ = try await fixture.daemon.call(LogoutOperation(account: "owing", wait: true))
    for kind in ["person", "something new"] {
      try await fixture.session.store(attributes: ["app": "keyrack", "kind": kind], secret: "x")
    }
    try await fixture.session.store(attributes: ["app": "another"], secret: "x")
    let run = try await fixture.daemon.keyrack("purge", "--yes")
    #expect(run.status == 0)
    #expect(run.error == "removed 6 items from the keyring\n3 sessions ended at the provider\n")
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(fixture.session.path)/home/.local/state/keyrack"))
    let status = try await fixture.status()
    #expect(status.orphans.isEmpty && status.outbox.isEmpty && status.accounts.allSatisfy { $0.state == .signedOut })
    // All goes on as with a new one.
    try await fixture.signIn()
    try await fixture.daemon.restart()
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
  }

  @Test func withALockedKeyringItIsAnErrorAndNothingChanges() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let items = try await fixture.session.items()
    try await fixture.session.lock()
    let run = try await fixture.daemon.keyrack("purge", "--yes")
    #expect(run.status == 5)
    #expect(run.error == "keyrack: the keyring is locked: nothing was changed\nkeyrack: hint: unlock it, then again\n")
    try await fixture.session.unlock()
    #expect(try await fixture.session.items() == items)
    #expect(try await fixture.provider.log().count == 1)
  }

  @Test func aProviderOutOfReachIsCounted() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    fixture.provider.stop()
    let reply = try await fixture.daemon.call(PurgeOperation(confirm: true))
    #expect(reply == .init(removed: 1, revoked: 0, failed: 1))
    #expect(try await fixture.session.items().isEmpty)
  }

  @Test func theRequestHasToConfirmIt() async throws {
    let session = try await PrivateSession(.withoutBus)
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    #expect(try await daemon.failure(PurgeOperation(confirm: nil)).code == .badRequest)
    #expect(try await daemon.failure(PurgeOperation(confirm: true)).code == .keyringUnavailable)
  }

  // MARK: The person

  @Test(arguments: [("y\n", 0 as Int32), ("\n", 1), ("n\n", 1), ("\u{3}", 130)])
  func thePersonIsToldWhatGoesAndAsked(answer: String, exit: Int32) async throws {
    let home = try ConfigurationHome()
    let outcome = try await home.converse(["purge"], [status, Self.purged]) { terminal, _ in
      _ = terminal.read(until: "remove it? [y/N] ")
      terminal.type(answer)
    }
    #expect(outcome.run.status == exit)
    #expect(outcome.run.errors.hasPrefix("this signs out of work, gone\n"))
    #expect(outcome.requests.last == (exit == 0 ? #"{"op":"purge","confirm":true}"# : #"{"op":"status"}"#))
    guard exit == 0 else { return }
    #expect(outcome.run.errors.contains("removed 3 items from the keyring\n1 session ended at the provider\n"))
    #expect(outcome.run.errors.contains("warning: 2 sessions could not be ended at the provider"))
  }

  @Test func withoutATerminalYesHasToBeSaid() async throws {
    let outcome = try await ConfigurationHome().run(["purge"], [])
    #expect(outcome.run.status == 2 && outcome.requests.isEmpty)
    #expect(outcome.run.errors.contains("hint: keyrack purge --yes\n"))
  }
}

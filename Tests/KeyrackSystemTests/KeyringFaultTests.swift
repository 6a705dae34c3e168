import Foundation
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import TestSupport
import Testing

/// The keyring locked, gone, hung, killed and restarted.
@Suite(.timeLimit(.minutes(1))) struct KeyringFaultTests {
  @Test func aLockedKeyringIsNotAnEmptyOne() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    try await fixture.session.lock()
    await #expect(throws: StoreError.locked) { try await fixture.keyring.record(of: "work") }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.all() }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.save(.example(token: "refresh-2")) }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.removeRecord(of: "work") }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.prepare(.interactive) }
    try await fixture.session.unlock()
    #expect(try await fixture.keyring.record(of: "work") == .example())
  }

  @Test func aColdStartWithALockedKeyringIsLocked() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    try await fixture.session.killKeyring()
    try await fixture.session.startKeyring(unlocked: false)
    await #expect(throws: StoreError.locked) { try await fixture.keyring.all() }
    try await fixture.session.unlock()
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example()]))
  }

  @Test func withoutACollectionItIsLocked() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    try await fixture.session.startKeyring(unlocked: false)
    await #expect(throws: StoreError.locked) { try await fixture.keyring.all() }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.prepare(.interactive) }
  }

  @Test(arguments: [PrivateSession.Mode.withoutService, .withoutBus])
  func withoutAKeyringItIsUnavailable(mode: PrivateSession.Mode) async throws {
    let fixture = try await KeyringFixture(mode)
    for _ in 0..<2 {
      await #expect { try await fixture.keyring.all() } throws: {
        if case StoreError.unavailable = $0 { true } else { false }
      }
    }
  }

  @Test func aKeyringThatComesLaterIsFound() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    await #expect(throws: StoreError.self) { try await fixture.keyring.all() }
    try await fixture.session.startKeyring()
    try await fixture.keyring.save(.example())
    #expect(try await fixture.keyring.record(of: "work") == .example())
  }

  @Test func aHungKeyringEndsTheCallAtItsDeadlineAndTheNextOneWorks() async throws {
    let fixture = try await KeyringFixture(call: .seconds(2))
    try await fixture.keyring.save(.example())
    await fixture.session.stopKeyring()
    let start = ContinuousClock.now
    await #expect(throws: StoreError.failed("the keyring did not answer within 2 s")) {
      try await fixture.keyring.record(of: "work")
    }
    #expect(ContinuousClock.now - start < .seconds(6))
    await #expect(throws: StoreError.failed("the keyring did not answer within 2 s")) {
      try await fixture.keyring.save(.example(token: "refresh-2"))
    }
    await fixture.session.continueKeyring()
    #expect(try await fixture.keyring.record(of: "work") != nil)
  }

  @Test func aRestartedKeyringIsServed() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    let helper = await fixture.keyring.helperPID
    for generation in 1...3 {
      try await fixture.session.killKeyring()
      try await fixture.session.startKeyring()
      try await fixture.keyring.save(.example(generation: generation))
      #expect(try await fixture.keyring.record(of: "work") == .example(generation: generation))
    }
    #expect(await fixture.keyring.helperPID == helper)
    try await fixture.session.killKeyring()
    await #expect(throws: StoreError.self) { try await fixture.keyring.removeRecord(of: "work") }
  }

  @Test func aRestartedBusIsServed() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    await fixture.session.killBus()
    await #expect { try await fixture.keyring.all() } throws: {
      if case StoreError.unavailable = $0 { true } else { false }
    }
    try await fixture.session.startBus()
    try await fixture.session.startKeyring()
    #expect(try await fixture.keyring.record(of: "work") == .example())
    // And once more, without a call in between.
    await fixture.session.killBus()
    try await fixture.session.startBus()
    try await fixture.session.startKeyring()
    #expect(try await fixture.keyring.record(of: "work") == .example())
  }

  @Test func aKilledHelperIsReplaced() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    let helper = try #require(await fixture.keyring.helperPID)
    kill(helper, SIGKILL)
    #expect(try await fixture.keyring.record(of: "work") == .example())
    #expect(await fixture.keyring.helperPID != helper)
  }

  @Test func aHelperKilledInAStoreCostsNothing() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    let helper = try #require(await fixture.keyring.helperPID)
    let state = try String(contentsOfFile: "/proc/\(helper)/status", encoding: .utf8)
    await fixture.session.stopKeyring()
    async let saved: Void = fixture.keyring.save(.example(token: "refresh-2", generation: 1))
    // It was woken, which its count of context switches tells, and now waits for the keyring.
    try await eventually("the helper to be at work") {
      try String(contentsOfFile: "/proc/\(helper)/status", encoding: .utf8) != state
    }
    kill(helper, SIGKILL)
    await fixture.session.continueKeyring()
    try await saved
    #expect(try await fixture.keyring.record(of: "work") == .example(token: "refresh-2", generation: 1))
  }

  @Test func aHelperThatCannotBeStartedIsNamed() async throws {
    let keyring = try Keyring(helper: "/nowhere/keyrack-keyring", log: CollectedLog(), environment: [:])
    let message = "could not start /nowhere/keyrack-keyring: No such file or directory"
    await #expect(throws: StoreError.failed(message)) { try await keyring.all() }
  }

  @Test func aHelperThatEndsAtOnceIsReported() async throws {
    let keyring = try Keyring(helper: "/bin/false", log: CollectedLog(), environment: [:])
    await #expect(throws: StoreError.failed("/bin/false ended unexpectedly, with status 1")) {
      try await keyring.all()
    }
  }

  @Test func theHelperEndsWithItsKeyring() async throws {
    var fixture: KeyringFixture? = try await KeyringFixture()
    try await fixture?.keyring.save(.example())
    let session = try #require(fixture?.session)
    let pid = try #require(await fixture?.keyring.helperPID)
    fixture = nil
    try await eventually("the helper's end") { kill(pid, 0) != 0 }
    #expect(try await session.items().count == 1)
  }

  @Test func theHelperLeavesNoCore() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.prepare(.background)
    let pid = try #require(await fixture.keyring.helperPID)
    let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
    #expect(limits.contains(/Max core file size +0 +0/))
  }

  @Test(.enabled(if: geteuid() != 0, "root may read all memory"))
  func nobodyElseMayReadTheHelpersMemory() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.prepare(.background)
    let pid = try #require(await fixture.keyring.helperPID)
    #expect(access("/proc/\(pid)/environ", R_OK) != 0)
  }

  /// Texts of errors come in the person's language.
  @Test func anErrorIsToldByDomainAndCodeAlone() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    await #expect(throws: StoreError.unavailable("no program on the session bus offers a Secret Service")) {
      try await fixture.keyring.all()
    }
  }

  // MARK: A keyring that dies between its two commits of a store

  @Test(.enabled("needs strace, and root", PrivateSession.keyringCanBeTraced), arguments: [1, 2])
  func aNewRecordThatWasNotWrittenToItsEndIsNoRecord(commit: Int) async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.prepare(.background)
    try await saveWhileTheKeyringDies(fixture, .example(), at: commit)
    let contents = try await fixture.keyring.all()
    #expect(contents.records.isEmpty)
    #expect(Array(contents.unusable.keys) == (commit == 1 ? [] : ["work"]))
    try await fixture.keyring.save(.example())
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example()]))
  }

  @Test(.enabled("needs strace, and root", PrivateSession.keyringCanBeTraced), arguments: [1, 2])
  func aRecordThatWasNotReplacedToTheEndIsTheOldOne(commit: Int) async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    try await saveWhileTheKeyringDies(fixture, .example(token: "refresh-2", generation: 1), at: commit)
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example()]))
  }

  private func saveWhileTheKeyringDies(_ fixture: KeyringFixture, _ record: SessionRecord, at commit: Int) async throws
  {
    let strace = try await fixture.session.killKeyring(atCommit: commit)
    await #expect { try await fixture.keyring.save(record) } throws: {
      if case StoreError.unavailable = $0 { true } else { false }
    }
    _ = try await strace.wait()
    try await fixture.session.killKeyring()
    try await fixture.session.startKeyring()
  }
}

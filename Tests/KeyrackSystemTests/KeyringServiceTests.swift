import KeyrackCore
import KeyrackSystem
import TestSupport
import Testing

/// The real helper with a Secret Service that has prompts and breaks promises.
@Suite(.timeLimit(.minutes(1))) struct KeyringServiceTests {
  @Test func aPromptThatIsAnsweredUnlocks() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(person: .accepts), locked: true)
    try await fixture.keyring.prepare(.background)
    try await fixture.keyring.save(.example())
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example()]))
    #expect(service.prompts == 1)
  }

  @Test func aDismissedPromptIsNotShownAgainUnlessAPersonWaits() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(person: .dismisses), locked: true)
    for _ in 0..<3 { await #expect(throws: StoreError.locked) { try await fixture.keyring.all() } }
    #expect(service.prompts == 1)
    await #expect(throws: StoreError.locked) { try await fixture.keyring.prepare(.interactive) }
    #expect(service.prompts == 2)
  }

  @Test func aPromptThatNobodyAnswersEndsAtItsDeadline() async throws {
    let fixture = try await KeyringFixture(.withoutService, prompt: .milliseconds(200))
    let service = try FakeSecretService(in: fixture.session, .init(person: .isAway), locked: true)
    let start = ContinuousClock.now
    await #expect(throws: StoreError.locked) { try await fixture.keyring.all() }
    #expect(ContinuousClock.now - start < .seconds(3))
    await #expect(throws: StoreError.locked) { try await fixture.keyring.all() }
    #expect(service.prompts == 1)
  }

  @Test func aRemovalThatDidNotHappenIsAnError() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(keepsWhatIsRemoved: true), locked: false)
    try await fixture.keyring.save(.example())
    await #expect(throws: StoreError.failed("the keyring kept what was removed")) {
      try await fixture.keyring.removeRecord(of: "work")
    }
    #expect(service.prompts == 0)
  }

  @Test func whatWasStoredIsReadBack() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(altersSecrets: true), locked: false)
    await #expect(throws: StoreError.failed("the keyring did not keep what was stored")) {
      try await fixture.keyring.save(.example())
    }
    #expect(service.prompts == 0)
  }

  @Test func aServiceThatAsksForEachItemIsServed() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(asksForItems: true), locked: false)
    try await fixture.keyring.save(.example())
    #expect(service.prompts == 1)
    service.lockItem()
    #expect(try await fixture.keyring.record(of: "work") == .example())
    #expect(service.prompts == 2)
  }

  @Test func anItemThatStaysLockedIsNotAMissingOne() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(person: .dismisses), locked: false)
    try await fixture.keyring.save(.example())
    service.lockItem()
    await #expect(throws: StoreError.locked) { try await fixture.keyring.record(of: "work") }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.all() }
    #expect(service.prompts == 1)
  }
}

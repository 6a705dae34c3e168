import KeyrackCore
import KeyrackSystem
import TestSupport
import Testing

/// The keyring tried out by `check`, in gnome-keyring.
@Suite(.timeLimit(.minutes(1))) struct KeyringProbeTests {
  @Test func itLeavesTheKeyringAsItWasAndTakesAnEarlierOneAlong() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    let before = try await fixture.session.items()
    try await fixture.session.store(attributes: ["app": "keyrack", "kind": "probe"], secret: "left")
    try await fixture.keyring.probe()
    #expect(try await fixture.session.items() == before)
  }

  @Test func itAsksNobodyToUnlock() async throws {
    let fixture = try await KeyringFixture(.locked)
    await #expect(throws: StoreError.locked) { try await fixture.keyring.probe() }
    try await fixture.keyring.probeBus()
  }

  @Test func theBusIsToldFromWhatIsOnIt() async throws {
    let bare = try await KeyringFixture(.withoutService)
    try await bare.keyring.probeBus()
    await #expect { try await bare.keyring.probe() } throws: { $0.isUnavailable }
    let without = try await KeyringFixture(.withoutBus)
    await #expect { try await without.keyring.probeBus() } throws: { $0.isUnavailable }
  }
}

extension Error {
  fileprivate var isUnavailable: Bool {
    guard case StoreError.unavailable? = self as? StoreError else { return false }
    return true
  }
}

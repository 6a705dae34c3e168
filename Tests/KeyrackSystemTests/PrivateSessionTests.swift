import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PrivateSessionTests {
  @Test func whatIsStoredOutlivesLockAndRestart() async throws {
    let session = try await PrivateSession()
    #expect(try await session.isLocked() == false)
    try await session.store(attributes: ["app": "keyrack", "kind": "session", "account": "a"], secret: "s'1")
    try await session.lock()
    #expect(try await session.isLocked() == true)
    try await session.unlock()
    try await session.killKeyring()
    #expect(try await session.isLocked() == nil)
    try await session.startKeyring()
    let items = try await session.items()
    #expect(items.map(\.secret) == ["s'1"])
    #expect(items.map(\.attributes) == [["app": "keyrack", "kind": "session", "account": "a"]])
    await session.killBus()
    try await session.startBus()
    try await session.startKeyring()
    #expect(try await session.items().count == 1)
  }
}

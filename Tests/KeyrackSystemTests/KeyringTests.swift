import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeyringTests {
  @Test(arguments: [1, 64 * 1024]) func aRecordIsReadBackAsItWasWritten(tokenLength: Int) async throws {
    let fixture = try await KeyringFixture()
    let record = SessionRecord.example(token: String(repeating: "t", count: tokenLength))
    try await fixture.keyring.prepare(.background)
    #expect(try await fixture.keyring.record(of: "work") == nil)
    try await fixture.keyring.save(record)
    #expect(try await fixture.keyring.record(of: "work") == record)
    #expect(try await fixture.keyring.all() == StoreContents(records: [record]))
    try await fixture.keyring.removeRecord(of: "work")
    #expect(try await fixture.keyring.record(of: "work") == nil)
    #expect(try await fixture.session.items().isEmpty)
  }

  @Test func anItemHasItsCompleteAttributesAndAReadableLabel() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    try await fixture.keyring.save(.example(token: "refresh-2", generation: 1))
    let items = try await fixture.session.items()
    #expect(items.map(\.attributes) == [["app": "keyrack", "kind": "session", "account": "work"]])
    #expect(items.map(\.label) == ["Keyrack: work"])
    #expect(items[0].secret.hasPrefix(#"{"version":1,"checksum":""#))
  }

  @Test func aRevocationAndARecordLeaveEachOtherAlone() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    try await fixture.keyring.save(.example("home"))
    try await fixture.keyring.save(.owed())
    let contents = try await fixture.keyring.all()
    #expect(contents == StoreContents(records: [.example("home"), .example()], revocations: [.owed()]))
    try await fixture.keyring.removeRecord(of: "work")
    #expect(try await fixture.keyring.all().revocations == [.owed()])
    try await fixture.keyring.removeRevocation(of: Revocation.owed().session)
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example("home")]))
  }

  @Test func itemsOfOthersAreNeverTouched() async throws {
    let fixture = try await KeyringFixture()
    let more = ["app": "keyrack", "kind": "session", "account": "work", "session": "another"]
    try await fixture.keyring.save(.example())
    try await fixture.session.store(attributes: more, secret: "theirs", replacing: false)
    #expect(try await fixture.keyring.record(of: "work") == .example())
    try await fixture.keyring.removeRecord(of: "work")
    #expect(try await fixture.session.items().map(\.attributes) == [more])
  }

  @Test func ofTwoItemsForAnAccountTheLaterRecordCounts() async throws {
    let fixture = try await KeyringFixture()
    let later = SessionRecord.example(token: "refresh-2", generation: 1)
    try await fixture.keyring.save(later)
    let secret = try #require(try await fixture.session.items().first?.secret)
    try await fixture.keyring.save(.example())
    try await fixture.session.store(attributes: workAttributes, secret: secret, replacing: false)
    #expect(try await fixture.session.items().count == 2)
    #expect(try await fixture.keyring.record(of: "work") == later)
    try await fixture.keyring.removeRecord(of: "work")
    #expect(try await fixture.session.items().isEmpty)
  }

  @Test func twoHundredItemsAreReadWithinTwoSeconds() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    let secret = try #require(try await fixture.session.items().first?.secret)
    for number in 0..<200 {
      let attributes = ["app": "keyrack", "kind": "session", "account": "a\(number)"]
      try await fixture.session.store(attributes: attributes, secret: secret.replacing("work", with: "a\(number)"))
    }
    let start = ContinuousClock.now
    let contents = try await fixture.keyring.all()
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(contents.records == [.example()])
    // Their checksums are those of the first.
    #expect(contents.unusable.count == 200)
  }

  // MARK: What cannot be used

  @Test(arguments: ["", "{}", #"{"version":1,"checksum":"00","payload":"{}"}"#, "{\"version\":1,\"version\":2}"])
  func aTornRecordIsReportedAndKept(secret: String) async throws {
    let fixture = try await KeyringFixture()
    try await fixture.session.store(attributes: workAttributes, secret: secret)
    #expect(try await fixture.keyring.all().unusable["work"]?.message == "damaged, or never written to its end")
    let torn = UnusableRecord("damaged, or never written to its end", isReplaceable: true)
    await #expect(throws: StoreError.unusable(torn)) { try await fixture.keyring.record(of: "work") }
    #expect(try await fixture.session.items().map(\.secret) == [secret])
    // A new sign-in replaces it.
    try await fixture.keyring.save(.example())
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example()]))
  }

  @Test func aRecordWithNumbersThatNoneCanCalculateWithIsTorn() async throws {
    let fixture = try await KeyringFixture()
    var record = SessionRecord.example()
    record.expiresAt = .min
    try await fixture.keyring.save(record)
    #expect(try await fixture.keyring.all().unusable["work"]?.isReplaceable == true)
  }

  @Test func aRecordOfANewerVersionIsNeverOverwritten() async throws {
    let fixture = try await KeyringFixture()
    let secret = #"{"version":2,"whatever":[1]}"#
    try await fixture.session.store(attributes: workAttributes, secret: secret)
    #expect(try await fixture.keyring.all().unusable["work"]?.message == "from a newer version of Keyrack (format 2)")
    await #expect(throws: StoreError.self) { try await fixture.keyring.save(.example()) }
    #expect(try await fixture.session.items().map(\.secret) == [secret])
  }

  @Test func aTornRevocationIsReportedAndKept() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.session.store(
      attributes: ["app": "keyrack", "kind": "revoke", "session": "abc"], secret: "")
    #expect(try await fixture.keyring.all() == StoreContents())
    #expect(
      fixture.log.messages == [
        "the revocation of session abc in the keyring cannot be used: damaged, or never written to its end"
      ])
    #expect(try await fixture.session.items().count == 1)
  }

  @Test func aSecretThatIsTooLargeIsRefusedAndTheNextCallWorks() async throws {
    let fixture = try await KeyringFixture()
    let token = String(repeating: "t", count: 129 * 1024)
    await #expect(throws: StoreError.self) { try await fixture.keyring.save(.example(token: token)) }
    #expect(try await fixture.keyring.all() == StoreContents())
  }
}

let workAttributes = ["app": "keyrack", "kind": "session", "account": "work"]

import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeyringClientSecretTests {
  private static let attributes = ["app": "keyrack", "kind": "client", "provider": "google:work"]

  @Test(arguments: ["s3cret", "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"])
  func aSecretIsReadBackAsItWasKept(text: String) async throws {
    let fixture = try await KeyringFixture()
    #expect(try await fixture.keyring.clientSecret(of: "google:work") == nil)
    try await fixture.keyring.keep(Secret(text), of: "google:work")
    #expect(try await fixture.keyring.clientSecret(of: "google:work") == Secret(text))
    #expect(try await fixture.keyring.clientSecret(of: "google") == nil)
    let items = try await fixture.session.items()
    #expect(items.map(\.attributes) == [Self.attributes])
    #expect(items.map(\.label) == ["Keyrack: client of google:work"])
    #expect(items.map(\.secret) == [text])
  }

  @Test func aNewSecretTakesThePlaceOfTheOldOne() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.keep(Secret("one"), of: "p")
    try await fixture.keyring.keep(Secret("two"), of: "p")
    #expect(try await fixture.keyring.clientSecret(of: "p") == Secret("two"))
    #expect(try await fixture.session.items().count == 1)
    try await fixture.keyring.keep(nil, of: "p")
    #expect(try await fixture.keyring.clientSecret(of: "p") == nil)
    #expect(try await fixture.session.items().isEmpty)
    try await fixture.keyring.keep(nil, of: "p")
  }

  @Test func sessionsAndClientsLeaveEachOtherAlone() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.keyring.save(.example())
    try await fixture.keyring.keep(Secret("s3cret"), of: "work")
    #expect(try await fixture.keyring.all() == StoreContents(records: [.example()]))
    #expect(fixture.log.messages.isEmpty)
    try await fixture.keyring.removeRecord(of: "work")
    #expect(try await fixture.keyring.clientSecret(of: "work") == Secret("s3cret"))
  }

  @Test func whoSignedInIsReadBack() async throws {
    let fixture = try await KeyringFixture()
    let alice = Person(name: "Alice", email: nil)
    #expect(try await fixture.keyring.person(of: "work") == nil)
    try await fixture.keyring.keep(alice, of: "work")
    #expect(try await fixture.keyring.person(of: "work") == alice)
    #expect(try await fixture.keyring.person(of: "other") == nil)
    #expect(try await fixture.keyring.all() == StoreContents())
  }

  @Test func aLockedKeyringIsNotOneWithoutTheSecret() async throws {
    let fixture = try await KeyringFixture(.locked)
    await #expect(throws: StoreError.locked) { try await fixture.keyring.clientSecret(of: "p") }
    await #expect(throws: StoreError.locked) { try await fixture.keyring.keep(Secret("s"), of: "p") }
    let secrets = ClientSecrets(source: fixture.keyring)
    let provider = Provider(name: "p", kind: .oauth(.init(clientID: "c")))
    #expect(await secrets.secret(of: provider).failure?.kind == .locked)
  }

  @Test func aSecretThatIsNoTextIsNotAMissingOne() async throws {
    let fixture = try await KeyringFixture()
    try await fixture.session.store(attributes: Self.attributes, secret: "")
    let failed = StoreError.failed("what the keyring holds as the client secret of google:work is no text")
    await #expect(throws: failed) { try await fixture.keyring.clientSecret(of: "google:work") }
  }

  @Test func aPersonMayBeAskedToUnlockWhereOneWaits() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(person: .accepts), locked: true)
    try await fixture.keyring.keep(Secret("s3cret"), of: "p")
    #expect(service.prompts == 1)
    #expect(try await fixture.keyring.clientSecret(of: "p") == Secret("s3cret"))
  }

  @Test func aSecretThatWasNotKeptIsAnError() async throws {
    let fixture = try await KeyringFixture(.withoutService)
    let service = try FakeSecretService(in: fixture.session, .init(altersSecrets: true), locked: false)
    await #expect(throws: StoreError.failed("the keyring did not keep what was stored")) {
      try await fixture.keyring.keep(Secret("s3cret"), of: "p")
    }
    #expect(service.prompts == 0)
  }
}

package import KeyrackCore
package import KeyrackProtocol

/// All that Keyrack keeps beyond one request.
package typealias SecretStore = ClientSecretLookup & ClientSecretStore & PersonStore & SessionStore & StoreProbe
  & StoreRemoval

/// In the keyring's place with `store=memory`: nothing outlives the daemon.
package actor MemoryStore: SecretStore {
  private var contents: [String: SessionRecord] = [:]
  private var revocations: [SessionID: Revocation] = [:]
  private var persons: [String: Person] = [:]
  private var clientSecrets: [String: Secret] = [:]

  package init() {}

  package func prepare(_ unlock: UnlockPolicy) async throws(StoreError) {}

  package func all() async throws(StoreError) -> StoreContents {
    StoreContents(records: Array(contents.values), revocations: Array(revocations.values))
  }

  package func record(of account: String, _ unlock: UnlockPolicy) async throws(StoreError) -> SessionRecord? {
    contents[account]
  }

  package func save(_ record: SessionRecord) async throws(StoreError) { contents[record.account] = record }

  package func replace(_ expected: SessionRecord?, by record: SessionRecord) async throws(StoreError) {
    if let other = contents[record.account], other != expected, other != record { throw .conflict(other) }
    contents[record.account] = record
  }

  package func removeRecord(of account: String) async throws(StoreError) { contents[account] = nil }

  package func save(_ revocation: Revocation) async throws(StoreError) { revocations[revocation.session] = revocation }

  package func removeRevocation(of session: SessionID) async throws(StoreError) { revocations[session] = nil }

  package func keep(_ person: Person, of account: String) async throws(StoreError) { persons[account] = person }

  package func person(of account: String) async throws(StoreError) -> Person? { persons[account] }

  package func keep(_ secret: Secret?, of provider: String) async throws(StoreError) {
    clientSecrets[provider] = secret
  }

  package func clientSecret(of provider: String) async throws(StoreError) -> Secret? { clientSecrets[provider] }

  package func probeBus() async throws(StoreError) {}

  package func probe() async throws(StoreError) {}

  package func count() async throws(StoreError) -> Int {
    contents.count + revocations.count + persons.count + clientSecrets.count
  }

  package func removeAll() async throws(StoreError) {
    contents = [:]
    revocations = [:]
    persons = [:]
    clientSecrets = [:]
  }
}

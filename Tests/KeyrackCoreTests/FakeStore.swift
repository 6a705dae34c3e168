import KeyrackCore
import KeyrackProtocol

/// A keyring in memory that can be made to fail or to hang, and notes what is done to it.
actor FakeStore: SessionStore, ClientSecretStore, PersonStore, StoreProbe, StoreRemoval {
  nonisolated var unownedExecutor: UnownedSerialExecutor { QueueExecutor.shared.asUnownedSerialExecutor() }
  private(set) var contents: StoreContents
  private(set) var steps: [String] = []
  /// Of single records, by whom a locked keyring could have asked.
  private(set) var reads: [UnlockPolicy] = []
  private var error: StoreError?
  private var failing: Set<String> = []
  private var holding: Set<String> = []
  private var held: [CheckedContinuation<Void, Never>] = []

  private let journal: Journal?

  init(_ contents: StoreContents = StoreContents(), journal: Journal? = nil) {
    self.contents = contents
    self.journal = journal
  }

  /// All calls from now on.
  func fail(_ error: StoreError?) { self.error = error }
  /// These steps only.
  func fail(_ steps: Set<String>) { failing = steps }
  func hold(_ steps: Set<String>) { holding = steps }
  func damage(_ account: String, isReplaceable: Bool = true) {
    contents.records.removeAll { $0.account == account }
    contents.unusable[account] = UnusableRecord("torn", isReplaceable: isReplaceable)
  }

  /// As another daemon or a person would.
  func put(_ record: SessionRecord) {
    if let index = contents.records.firstIndex(where: { $0.account == record.account }) {
      contents.records[index] = record
    } else {
      contents.records.append(record)
    }
  }
  func lose(_ account: String) { contents.records.removeAll { $0.account == account } }

  func release() {
    holding = []
    for continuation in held { continuation.resume() }
    held = []
  }

  /// Waits until a step is held, or was taken.
  func wait(untilHeld count: Int, passing time: FakeClock? = nil) async {
    while held.count < count {
      time?.advance(.seconds(1))
      await Task.yield()
    }
  }
  func wait(for step: String, passing time: FakeClock? = nil) async {
    while !steps.contains(step) {
      time?.advance(.seconds(1))
      await Task.yield()
    }
  }

  private(set) var persons: [String: Person] = [:]
  func keep(_ person: Person, of account: String) async throws(StoreError) {
    try await begin("keep person")
    persons[account] = person
  }
  func person(of account: String) async throws(StoreError) -> Person? {
    try await begin("person")
    return persons[account]
  }

  private(set) var secrets: [String: Secret] = [:]
  func keep(_ secret: Secret?, of provider: String) async throws(StoreError) {
    try await begin("keep secret")
    secrets[provider] = secret
  }

  /// The bus has no lock.
  func probeBus() async throws(StoreError) { if error != .locked { try await begin("bus") } }
  func probe() async throws(StoreError) { try await begin("probe") }

  /// Of all kinds.
  var itemCount: Int { contents.records.count + contents.revocations.count + secrets.count + persons.count }
  func count() async throws(StoreError) -> Int {
    try await begin("count")
    return itemCount
  }
  func removeAll() async throws(StoreError) {
    try await step("remove all")
    contents = StoreContents()
    secrets = [:]
    persons = [:]
  }

  private func begin(_ name: String) async throws(StoreError) {
    if holding.contains(name) { await withCheckedContinuation { held.append($0) } }
    if let error { throw error }
    if failing.contains(name) { throw .failed("told to fail") }
  }

  private func step(_ name: String) async throws(StoreError) {
    try await begin(name)
    steps.append(name)
    journal?.note(name)
  }

  func prepare(_ unlock: UnlockPolicy) async throws(StoreError) { try await step("prepare") }

  func all() async throws(StoreError) -> StoreContents {
    try await begin("all")
    return contents
  }

  func record(of account: String, _ unlock: UnlockPolicy) async throws(StoreError) -> SessionRecord? {
    reads.append(unlock)
    try await begin("record")
    if let unusable = contents.unusable[account] { throw .unusable(unusable) }
    return contents.records.first { $0.account == account }
  }

  func save(_ record: SessionRecord) async throws(StoreError) {
    try await step("save record")
    put(record)
    contents.unusable[record.account] = nil
  }

  func replace(_ expected: SessionRecord?, by record: SessionRecord) async throws(StoreError) {
    try await begin("save record")
    let found = contents.records.first { $0.account == record.account }
    if let found, found != expected, found != record { throw .conflict(found) }
    try await save(record)
  }

  func removeRecord(of account: String) async throws(StoreError) {
    try await step("remove record")
    contents.records.removeAll { $0.account == account }
  }

  func save(_ revocation: Revocation) async throws(StoreError) {
    try await step("save revocation")
    contents.revocations.removeAll { $0.session == revocation.session }
    contents.revocations.append(revocation)
  }

  func removeRevocation(of session: SessionID) async throws(StoreError) {
    try await step("remove revocation")
    contents.revocations.removeAll { $0.session == session }
  }
}

import FoundationEssentials
package import KeyrackCore
import KeyrackProtocol

/// Sessions in the Secret Service, one item for each account. Calls are made one at a time, in the order in which they
/// came; each may block this actor's own thread and nothing else.
package actor Keyring: SessionStore {
  private let thread: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  let helper: KeyringHelper
  private let codec = RecordCodec()
  private let log: any EventLog

  /// `helper` is the path of `keyrack-keyring`, which is started with the first call.
  package init(
    helper: String, log: any EventLog, environment: [String: String] = ProcessInfo.processInfo.environment,
    deadlines: KeyringDeadlines = KeyringDeadlines()
  ) throws(SystemError) {
    thread = try ThreadExecutor(name: "keyring")
    self.helper = KeyringHelper(path: helper, environment: environment, deadlines: deadlines)
    self.log = log
  }

  /// Of the helper process, nil where none runs.
  package var helperPID: Int32? { helper.pid }

  package func prepare(_ unlock: UnlockPolicy) async throws(StoreError) {
    _ = try helper.perform(KeyringCall(.prepare, create: unlock == .interactive), unlock)
  }

  package func all() async throws(StoreError) -> StoreContents {
    var contents = StoreContents()
    let items = try find(["app": "keyrack"])
    for (account, items) in Dictionary(grouping: items, by: { $0.attributes["account"] ?? "" }) {
      switch newest(items.filter { $0.attributes == Self.attributes(account: account) }) {
      case .none: break
      case .record(let record): contents.records.append(record)
      case .unusable(let problem): contents.unusable[account] = Self.unusable(problem)
      }
    }
    for item in items where item.attributes["kind"] == "revoke" {
      if let revocation = revocation(item) { contents.revocations.append(revocation) }
    }
    contents.records.sort { $0.account < $1.account }
    contents.revocations.sort { $0.since < $1.since }
    return contents
  }

  package func record(of account: String, _ unlock: UnlockPolicy) async throws(StoreError) -> SessionRecord? {
    switch try stored(account, unlock) {
    case .none: return nil
    case .record(let record): return record
    case .unusable(let problem): throw .unusable(Self.unusable(problem))
    }
  }

  package func save(_ record: SessionRecord) async throws(StoreError) {
    let attributes = Self.attributes(account: record.account)
    try refuseToReplaceNewer(record, attributes)
    try store(record, attributes, label: Self.label(record))
  }

  /// In one call, so that the helper finishes it where the daemon is killed meanwhile.
  package func replace(_ expected: SessionRecord?, by record: SessionRecord) async throws(StoreError) {
    let attributes = Self.attributes(account: record.account)
    let call = KeyringCall(
      .replace, attributes: attributes, label: Self.label(record), secret: codec.encode(record),
      expected: expected.map { codec.encode($0) })
    let others = try helper.perform(call, .background)
    if others.isEmpty { return }
    switch newest(others) {
    case .record(let other): throw .conflict(other)
    case .unusable(.newer(let version)): throw .unusable(Self.unusable(.newer(version: version)))
    case .unusable(.torn), .none: try store(record, attributes, label: Self.label(record))
    }
  }

  private static func label(_ record: SessionRecord) -> String { "Keyrack: \(record.account)" }

  /// What a newer Keyrack has stored is left alone.
  private func refuseToReplaceNewer(_ record: SessionRecord, _ attributes: [String: String]) throws(StoreError) {
    for item in try find(attributes) where item.attributes == attributes {
      if let fault = fault(item), case .newer = fault { throw .unusable(Self.unusable(fault)) }
    }
  }

  package func removeRecord(of account: String) async throws(StoreError) {
    _ = try helper.perform(KeyringCall(.remove, attributes: Self.attributes(account: account)), .background)
  }

  package func save(_ revocation: Revocation) async throws(StoreError) {
    try store(
      revocation, Self.attributes(revocationOf: revocation.session),
      label: "Keyrack: \(revocation.account), signed out")
  }

  package func removeRevocation(of session: SessionID) async throws(StoreError) {
    _ = try helper.perform(KeyringCall(.remove, attributes: Self.attributes(revocationOf: session)), .background)
  }

  // MARK: Items

  // Complete, and for ever the same: an item stored with fewer attributes replaces one that has more.
  private static func attributes(account: String) -> [String: String] {
    ["app": "keyrack", "kind": "session", "account": account]
  }
  private static func attributes(revocationOf session: SessionID) -> [String: String] {
    ["app": "keyrack", "kind": "revoke", "session": session.description]
  }

  func find(
    _ attributes: [String: String], _ unlock: UnlockPolicy = .background
  ) throws(StoreError) -> [KeyringAnswer.Item] {
    try helper.perform(KeyringCall(.find, attributes: attributes), unlock)
  }

  private func store(
    _ value: some JSONObject, _ attributes: [String: String], label: String
  ) throws(StoreError) {
    let secret = codec.encode(value)
    _ = try helper.perform(KeyringCall(.store, attributes: attributes, label: label, secret: secret), .background)
  }

  private enum Stored {
    case none
    case record(SessionRecord)
    case unusable(RecordCodec.Unusable)
  }

  private func stored(_ account: String, _ unlock: UnlockPolicy) throws(StoreError) -> Stored {
    let attributes = Self.attributes(account: account)
    return newest(try find(attributes, unlock).filter { $0.attributes == attributes })
  }

  /// Of items with the same attributes, which others may have made. The keyring's own times have a resolution of 1 s;
  /// the record knows better.
  private func newest(_ items: [KeyringAnswer.Item]) -> Stored {
    var best: SessionRecord?
    var problem: RecordCodec.Unusable?
    for item in items {
      do throws(RecordCodec.Unusable) {
        let record = try decode(item)
        if let best, (best.obtainedAt, best.generation) >= (record.obtainedAt, record.generation) { continue }
        best = record
      } catch {
        problem = problem ?? error
      }
    }
    if let best { return .record(best) }
    return problem.map { .unusable($0) } ?? .none
  }

  private func decode(_ item: KeyringAnswer.Item) throws(RecordCodec.Unusable) -> SessionRecord {
    let record = try codec.decode(SessionRecord.self, from: item.secret)
    guard record.account == item.attributes["account"], record.isPlausible else { throw .torn }
    return record
  }

  private func fault(_ item: KeyringAnswer.Item) -> RecordCodec.Unusable? {
    do throws(RecordCodec.Unusable) {
      _ = try decode(item)
      return nil
    } catch {
      return error
    }
  }

  private func revocation(_ item: KeyringAnswer.Item) -> Revocation? {
    do throws(RecordCodec.Unusable) {
      return try codec.decode(Revocation.self, from: item.secret)
    } catch {
      let session = item.attributes["session"] ?? "unknown"
      let message = "the revocation of session \(session) in the keyring cannot be used: \(Self.reason(error))"
      log.record(Event(.keyringFailed, message, reason: "unusable"))
      return nil
    }
  }

  private static func unusable(_ problem: RecordCodec.Unusable) -> UnusableRecord {
    switch problem {
    case .torn: UnusableRecord(reason(problem), isReplaceable: true)
    case .newer: UnusableRecord(reason(problem), isReplaceable: false)
    }
  }

  private static func reason(_ problem: RecordCodec.Unusable) -> String {
    switch problem {
    case .torn: "damaged, or never written to its end"
    case .newer(let version): "from a newer version of Keyrack (format \(version))"
    }
  }
}

/// The key sets that have been fetched, and when it is time for another look.
struct KeySetCache {
  private struct Entry {
    let set: JSONWebKeySet
    let fetchedAt: ContinuousClock.Instant
  }

  /// A token of an unknown key makes a request at most that often.
  static let minimumAge = Duration.seconds(60)
  /// A key that the provider has withdrawn is believed at most that long.
  static let maximumAge = Duration.seconds(3600)
  /// As many providers as that: a guard against growth over many reloads of the configuration.
  static let maximumCount = 64

  private var entries: [KeySource: Entry] = [:]

  func set(of source: KeySource) -> JSONWebKeySet? { entries[source]?.set }

  /// Whether the set is too old to be used without a look at the provider's, or was never fetched.
  func isStale(_ source: KeySource, now: ContinuousClock.Instant) -> Bool {
    entries[source].map { now - $0.fetchedAt >= Self.maximumAge } ?? true
  }

  /// Whether a key that it lacks may be looked for at the provider.
  func mayRefetch(_ source: KeySource, now: ContinuousClock.Instant) -> Bool {
    entries[source].map { now - $0.fetchedAt >= Self.minimumAge } ?? true
  }

  mutating func store(_ set: JSONWebKeySet, of source: KeySource, at now: ContinuousClock.Instant) {
    if entries.count >= Self.maximumCount && entries[source] == nil { entries = [:] }
    entries[source] = Entry(set: set, fetchedAt: now)
  }
}

/// How many refreshes are under way: a few to each host and 8 in all, those first that somebody waits for (REFRESH R24).
package struct RefreshLimiter {
  package static let maximum = 8

  private struct Entry {
    let id: SessionID
    let host: String
  }

  /// Those that somebody waits for, and the others; each in the order in which they came.
  private var awaited: [Entry] = []
  private var others: [Entry] = []
  private var admitted: [SessionID: String] = [:]
  /// Of those admitted, those that take up none of the places in all.
  private var slow: Set<SessionID> = []

  package init() {}

  package mutating func enter(_ id: SessionID, host: String, isAwaited: Bool) {
    let entry = Entry(id: id, host: host)
    if isAwaited { awaited.append(entry) } else { others.append(entry) }
  }

  /// Somebody waits for it now.
  package mutating func awaited(_ id: SessionID) {
    guard let index = others.firstIndex(where: { $0.id == id }) else { return }
    awaited.append(others.remove(at: index))
  }

  package mutating func leave(_ id: SessionID) {
    slow.remove(id)
    if admitted.removeValue(forKey: id) != nil { return }
    awaited.removeAll { $0.id == id }
    others.removeAll { $0.id == id }
  }

  /// Its provider is not quick to answer. The limit in all is there against bursts, and nobody else has to wait for that
  /// provider.
  package mutating func slowed(_ id: SessionID) {
    if admitted[id] != nil { slow.insert(id) }
  }

  /// Admits the next one that may go, nil where none may. `limit` is how many a host may have at once.
  package mutating func next(limit: (_ host: String) -> Int) -> SessionID? {
    guard admitted.count - slow.count < Self.maximum else { return nil }
    var full: Set<String> = []
    guard let entry = take(from: \.awaited, limit, &full) ?? take(from: \.others, limit, &full) else { return nil }
    admitted[entry.id] = entry.host
    return entry.id
  }

  /// `full`: the hosts that are known to have no room.
  private mutating func take(
    from queue: WritableKeyPath<RefreshLimiter, [Entry]>, _ limit: (String) -> Int, _ full: inout Set<String>
  ) -> Entry? {
    for (index, entry) in self[keyPath: queue].enumerated() where !full.contains(entry.host) {
      if admitted.values.count(where: { $0 == entry.host }) < limit(entry.host) {
        return self[keyPath: queue].remove(at: index)
      }
      full.insert(entry.host)
    }
    return nil
  }
}

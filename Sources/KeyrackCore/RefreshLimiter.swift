/// How many refreshes are under way: a few to each host and 8 in all, those first that somebody waits for (REFRESH R24).
package struct RefreshLimiter {
  package static let maximum = 8

  private struct Entry {
    let id: SessionID
    let host: String
    var isAwaited: Bool
  }

  private var queue: [Entry] = []
  private var admitted: [SessionID: String] = [:]
  /// Of those admitted, those that take up none of the places in all.
  private var slow: Set<SessionID> = []

  package init() {}

  package mutating func enter(_ id: SessionID, host: String, isAwaited: Bool) {
    queue.append(Entry(id: id, host: host, isAwaited: isAwaited))
  }

  /// Somebody waits for it now.
  package mutating func awaited(_ id: SessionID) {
    guard let index = queue.firstIndex(where: { $0.id == id }) else { return }
    queue[index].isAwaited = true
  }

  package mutating func leave(_ id: SessionID) {
    admitted[id] = nil
    slow.remove(id)
    queue.removeAll { $0.id == id }
  }

  /// Its provider is not quick to answer. The limit in all is there against bursts, and nobody else has to wait for that
  /// provider.
  package mutating func slowed(_ id: SessionID) {
    if admitted[id] != nil { slow.insert(id) }
  }

  /// Admits the next one that may go, nil where none may. `limit` is how many a host may have at once.
  package mutating func next(limit: (_ host: String) -> Int) -> SessionID? {
    guard !queue.isEmpty, admitted.count - slow.count < Self.maximum else { return nil }
    var underWay: [String: Int] = [:]
    for host in admitted.values { underWay[host, default: 0] += 1 }
    var limits: [String: Int] = [:]
    for host in Set(queue.map(\.host)) { limits[host] = limit(host) }
    let mayGo: (Entry) -> Bool = { underWay[$0.host, default: 0] < limits[$0.host, default: 1] }
    guard let index = queue.firstIndex(where: { $0.isAwaited && mayGo($0) }) ?? queue.firstIndex(where: mayGo) else {
      return nil
    }
    let entry = queue.remove(at: index)
    admitted[entry.id] = entry.host
    return entry.id
  }
}

package import KeyrackProtocol

/// Keeps what a program can bring about in a loop from filling the journal. Nothing is lost: what gets no line of its own
/// is counted, and the count has one.
///
/// A pure value. Time goes by in windows, whose end somebody tells; the first begins with the first event.
package struct EventThrottle: Sendable {
  package static let window = Duration.seconds(60)
  /// Lines of one kind in a window, those with counts not among them.
  package static let limit = 64

  /// What makes two events the same.
  package struct Key: Hashable, Sendable {
    package let kind: Event.Kind
    package let account: String?
    package let program: Program
    package var reason: String?
    package var scope: String?
    package var resources: [String] = []
    package var tokenKind: TokenOperation.Kind?

    package init(_ kind: Event.Kind, account: String?, program: Program) {
      self.kind = kind
      self.account = account
      self.program = program
    }

    /// Of what mostly differs, and no more: to hash all of it took longer than the rest of looking it up.
    package func hash(into hasher: inout Hasher) {
      hasher.combine(kind)
      hasher.combine(account)
    }
  }

  /// An event that was written, and how often it was repeated since.
  private struct Entry {
    let event: Event
    /// Compared by its storage, which it shares with the session: no byte is looked at.
    let token: Secret?
    var latest: Caller
    var count = 0

    var summary: Event? { count > 0 ? event.repeated(count, by: latest) : nil }
  }

  private var entries: [Key: Entry] = [:]
  private var written: [Event.Kind: Int] = [:]
  private var unwritten: [Event.Kind: Int] = [:]

  package init() {}

  /// Whether there is nothing to be done at the end of the window.
  package var isIdle: Bool { entries.isEmpty && written.isEmpty }

  /// Counts what repeats an event that was written. False where it repeats none.
  package mutating func counts(_ key: Key, _ token: Secret? = nil, by caller: Caller) -> Bool {
    guard let index = entries.index(forKey: key), entries.values[index].token == token else { return false }
    entries.values[index].count += 1
    entries.values[index].latest = caller
    return true
  }

  /// What is to be written for an event that repeats none. With a key, those that will repeat it are counted.
  package mutating func admit(
    _ event: Event, as key: Key? = nil, _ token: Secret? = nil, by caller: Caller = .unknown
  ) -> [Event] {
    guard written[event.kind, default: 0] < Self.limit else {
      unwritten[event.kind, default: 0] += 1
      return []
    }
    written[event.kind, default: 0] += 1
    guard let key else { return [event] }
    let previous = entries.updateValue(Entry(event: event, token: token, latest: caller), forKey: key)
    return [previous?.summary, event].compactMap { $0 }
  }

  /// What is to be written of an account whose session has ended. What comes next is new.
  package mutating func ended(account: String) -> [Event] {
    let keys = entries.keys.filter { $0.account == account }
    return keys.compactMap { entries.removeValue(forKey: $0)?.summary }
  }

  /// What is to be written at the end of a window. Only what was repeated in this one is still the same in the next.
  package mutating func windowEnded() -> [Event] {
    let summaries = entries.values.compactMap(\.summary)
    let floods = Event.Kind.allCases.compactMap { kind in unwritten[kind].map { flood(kind, $0) } }
    entries = entries.filter { $0.value.count > 0 }.mapValues {
      Entry(event: $0.event, token: $0.token, latest: $0.latest)
    }
    written = Dictionary(entries.keys.map { ($0.kind, 1) }, uniquingKeysWith: +)
    unwritten = [:]
    return summaries + floods
  }

  private func flood(_ kind: Event.Kind, _ count: Int) -> Event {
    var event = Event(kind, "\(count) more of \(kind.rawValue), too many different ones in a minute to list")
    event.count = count
    return event
  }
}

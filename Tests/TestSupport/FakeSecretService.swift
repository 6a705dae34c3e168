import Glibc
import Synchronization

/// A Secret Service that shows prompts, which gnome-keyring without a screen does not, and that breaks its promises where
/// it is told to. It has one collection with one item.
package final class FakeSecretService: Sendable {
  /// What the person does.
  package enum Person: Sendable {
    case accepts
    case dismisses
    /// And the service does not even heed `Dismiss`.
    case isAway
  }

  package struct Behavior: Sendable {
    package var person = Person.accepts
    /// Reports success for a removal, and keeps the item. KeePassXC does that.
    package var keepsWhatIsRemoved = false
    /// Stores something else.
    package var altersSecrets = false
    /// Asks the person before it stores, as KeePassXC does.
    package var asksForItems = false

    package init(
      person: Person = .accepts, keepsWhatIsRemoved: Bool = false, altersSecrets: Bool = false,
      asksForItems: Bool = false
    ) {
      self.person = person
      self.keepsWhatIsRemoved = keepsWhatIsRemoved
      self.altersSecrets = altersSecrets
      self.asksForItems = asksForItems
    }
  }

  private let address: String
  private let collection: FakeSecretCollection
  private let bus = Mutex<Bus?>(nil)
  private let watch = Mutex(Watch())

  private struct Watch {
    var calls: [String] = []
    var fault: Fault?
  }

  /// Takes the name on the bus of a session that has no keyring.
  package init(in session: PrivateSession, _ behavior: Behavior = Behavior(), locked: Bool = false) throws {
    address = "unix:path=\(session.path)/run/bus"
    collection = FakeSecretCollection(behavior, locked: locked)
    try comeBack()
  }

  /// Locks the collection. What the person does when asked is as it was.
  package func lock() { collection.state.withLock { $0.isLocked = true } }

  /// From now on it is shown only to who asks the person, as KeePassXC does with items that another process made.
  package func lockItem() { collection.state.withLock { $0.isItemLocked = true } }

  /// How many were shown.
  package var prompts: Int { collection.state.withLock { $0.prompts } }

  /// What the item holds; nil where there is none.
  package var secret: String? {
    collection.state.withLock { $0.item.map { String(decoding: $0.secret, as: UTF8.self) } }
  }

  // MARK: Calls, and what goes wrong at one of them

  /// What happens at one call.
  package struct Fault: Sendable {
    package enum Kind: Sendable {
      /// An error of that name.
      case fails(String)
      /// So do all later calls.
      case failsFromNowOn
      case hangs
      /// The service leaves the bus instead of an answer, and its sessions end.
      case leaves
      /// The same, and it comes back at once.
      case restarts
      /// From now on the collection is locked; an item that is just being made waits for the person alone.
      case asks(Person)
      /// Who calls dies.
      case killsCaller
    }

    /// What became of the call before that. Only of interest where something is stored.
    package enum Effect: Sendable {
      case nothing, done
      /// The item is there, and empty.
      case half
    }

    /// Which of the calls, from 1.
    package let call: Int
    package let kind: Kind
    package let effect: Effect

    package init(at call: Int, _ kind: Kind, after effect: Effect = .nothing) {
      self.call = call
      self.kind = kind
      self.effect = effect
    }
  }

  /// Counts calls anew.
  package func expectCalls(_ fault: Fault? = nil) { watch.withLock { $0 = Watch(fault: fault) } }

  /// The methods that were called since ``expectCalls(_:)``, those of prompts included.
  package var calls: [String] { watch.withLock { $0.calls } }

  /// All is well again: it is on the bus, unlocked, and the person helps.
  package func recover() throws {
    watch.withLock { $0.fault = nil }
    collection.recover()
    try comeBack()
  }

  private func answer(_ call: Bus.Call) -> Bus.Answer {
    guard let fault = noted(call) else { return collection.answer(call) }
    switch fault.effect {
    case .nothing: break
    case .done: _ = collection.answer(call)
    case .half: collection.tear(call)
    }
    switch fault.kind {
    case .fails(let name): return .error(name)
    case .failsFromNowOn: return .error("org.freedesktop.DBus.Error.Failed")
    case .hangs: break
    case .killsCaller: killCaller(call)
    case .leaves: leave(andReturn: false)
    case .restarts: leave(andReturn: true)
    case .asks(let person):
      collection.ask(person, before: call)
      return collection.answer(call)
    }
    return .nothing
  }

  private func noted(_ call: Bus.Call) -> Fault? {
    let name = call.member == "Get" ? "Get \(call.arguments[1].text)" : call.member
    return watch.withLock {
      $0.calls.append(name)
      guard let fault = $0.fault else { return nil }
      if case .failsFromNowOn = fault.kind, fault.call < $0.calls.count { return fault }
      return fault.call == $0.calls.count ? fault : nil
    }
  }

  // MARK: The bus

  // On another thread than that of GDBus, which is needed for it.

  private func leave(andReturn: Bool) {
    BlockingThread.start { [self] in
      bus.withLock {
        // It waits for the name before that is free, so that nobody ever finds it gone.
        let next = andReturn ? try? connected() : nil
        $0?.close()
        $0 = next
      }
    }
  }

  private func killCaller(_ call: Bus.Call) {
    let sender = call.sender
    BlockingThread.start { [self] in
      let pid = bus.withLock {
        try? $0?.call(
          "GetConnectionUnixProcessID", of: "org.freedesktop.DBus", at: "/", on: "org.freedesktop.DBus",
          "('\(sender)',)")[0].number
      }
      if let pid { kill(pid_t(pid), SIGKILL) }
    }
  }

  private func comeBack() throws {
    try bus.withLock { if $0 == nil { $0 = try connected() } }
  }

  private func connected() throws -> Bus {
    let bus = try Bus(address: address)
    collection.beginSession()
    bus.serve { [weak self] in self?.answer($0) ?? .nothing }
    try bus.call(
      "RequestName", of: "org.freedesktop.DBus", at: "/", on: "org.freedesktop.DBus",
      "('org.freedesktop.secrets', uint32 0)")
    return bus
  }
}

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

  private let bus: Bus
  private let provider: Provider

  /// Takes the name on the bus of a session that has no keyring.
  package init(in session: PrivateSession, _ behavior: Behavior, locked: Bool) throws {
    bus = try Bus(address: "unix:path=\(session.path)/run/bus")
    let provider = Provider(behavior, locked: locked)
    self.provider = provider
    bus.serve { provider.answer($0) }
    try bus.call(
      "RequestName", of: "org.freedesktop.DBus", at: "/", on: "org.freedesktop.DBus",
      "('org.freedesktop.secrets', uint32 0)")
  }

  /// From now on it is shown only to who asks the person, as KeePassXC does with items that another process made.
  package func lockItem() { provider.state.withLock { $0.isItemLocked = true } }

  /// How many were shown.
  package var prompts: Int { provider.state.withLock { $0.prompts } }
}

private final class Provider: Sendable {
  struct State {
    var isLocked: Bool
    var item: (attributes: [String: String], secret: [UInt8])?
    var isItemLocked = false
    var prompts = 0
  }

  let state: Mutex<State>
  private let behavior: FakeSecretService.Behavior

  init(_ behavior: FakeSecretService.Behavior, locked: Bool) {
    self.behavior = behavior
    state = Mutex(State(isLocked: locked))
  }

  private static let collection = "objectpath '/org/freedesktop/secrets/collection/login'"
  private static let item = "objectpath '/org/freedesktop/secrets/collection/login/1'"
  private static let session = "objectpath '/org/freedesktop/secrets/session/s'"
  private static let prompt = "objectpath '/org/freedesktop/secrets/prompt/p'"
  private static let itemPrompt = "objectpath '/org/freedesktop/secrets/prompt/i'"
  private static let nothing = "objectpath '/'"

  func answer(_ call: Bus.Call) -> Bus.Answer {
    state.withLock { answer(call, &$0) }
  }

  private func answer(_ call: Bus.Call, _ state: inout State) -> Bus.Answer {
    switch call.member {
    case "OpenSession" where call.arguments[0].text != "plain": .error("org.freedesktop.DBus.Error.NotSupported")
    case "OpenSession": .reply("(<''>, \(Self.session))")
    case "ReadAlias": .reply("(\(Self.collection),)")
    case "GetAll": .reply("(@a{sv} {},)")
    case "Get": .reply(property(call.arguments[1].text, state))
    case "SearchItems": .reply(found(state))
    case "GetSecrets":
      .reply("({\(Self.item): (\(Self.session), @ay [], \(Self.bytes(state.item?.secret)), 'text/plain')},)")
    case "Unlock": .reply("(@ao [], \(Self.prompt))")
    case "Prompt": prompted(call.path, &state)
    case "Dismiss" where behavior.person != .isAway: Self.completed(dismissed: true)
    case "CreateItem": created(call, &state)
    case "Delete": deleted(&state)
    default: .reply("()")
    }
  }

  private func found(_ state: State) -> String {
    if state.item == nil { return "(@ao [], @ao [])" }
    return state.isItemLocked ? "(@ao [], [\(Self.item)])" : "([\(Self.item)], @ao [])"
  }

  private func property(_ name: String, _ state: State) -> String {
    if name == "Locked" { return "(<\(state.isLocked)>,)" }
    let pairs = (state.item?.attributes ?? [:]).map { "'\($0)': '\($1)'" }.joined(separator: ", ")
    return "(<@a{ss} {\(pairs)}>,)"
  }

  private func prompted(_ path: String, _ state: inout State) -> Bus.Answer {
    state.prompts += 1
    switch behavior.person {
    case .accepts:
      state.isLocked = false
      state.isItemLocked = false
      return Self.completed(
        dismissed: false, Self.itemPrompt.contains(path) ? "<\(Self.item)>" : "<[\(Self.collection)]>")
    case .dismisses: return Self.completed(dismissed: true)
    case .isAway: return .reply("()")
    }
  }

  private static func completed(dismissed: Bool, _ result: String = "<@ao []>") -> Bus.Answer {
    .signal(interface: "org.freedesktop.Secret.Prompt", member: "Completed", "(\(dismissed), \(result))")
  }

  private func created(_ call: Bus.Call, _ state: inout State) -> Bus.Answer {
    let properties = call.arguments[0].children.map { ($0[0].text, $0[1].inner) }
    let attributes = properties.first { $0.0.hasSuffix("Attributes") }?.1.dictionary ?? [:]
    state.item = (attributes, behavior.altersSecrets ? Array("other".utf8) : call.arguments[1][2].bytes)
    return .reply(behavior.asksForItems ? "(\(Self.nothing), \(Self.itemPrompt))" : "(\(Self.item), \(Self.nothing))")
  }

  private func deleted(_ state: inout State) -> Bus.Answer {
    if !behavior.keepsWhatIsRemoved { state.item = nil }
    return .reply("(\(Self.nothing),)")
  }

  private static func bytes(_ secret: [UInt8]?) -> String {
    "@ay [\((secret ?? []).map { "byte \($0)" }.joined(separator: ", "))]"
  }
}

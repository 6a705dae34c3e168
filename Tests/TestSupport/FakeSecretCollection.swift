import Synchronization

/// What a ``FakeSecretService`` holds, and what it answers where nothing goes wrong.
final class FakeSecretCollection: Sendable {
  typealias Item = (attributes: [String: String], secret: [UInt8])

  struct State {
    var isLocked: Bool
    var item: Item?
    var isItemLocked = false
    var person: FakeSecretService.Person
    /// Waits for the person.
    var pending: Item?
    var asksForNextItem = false
    var prompts = 0
    /// Sessions end with the connection to the bus that they were made on.
    var session = 0
  }

  let state: Mutex<State>
  private let behavior: FakeSecretService.Behavior

  init(_ behavior: FakeSecretService.Behavior, locked: Bool) {
    self.behavior = behavior
    state = Mutex(State(isLocked: locked, person: behavior.person))
  }

  private static let collection = "objectpath '/org/freedesktop/secrets/collection/login'"
  private static let item = "objectpath '/org/freedesktop/secrets/collection/login/1'"
  private static let prompt = "objectpath '/org/freedesktop/secrets/prompt/p'"
  private static let itemPrompt = "objectpath '/org/freedesktop/secrets/prompt/i'"
  private static let nothing = "objectpath '/'"

  func beginSession() { state.withLock { $0.session += 1 } }

  func recover() {
    state.withLock {
      $0.isLocked = false
      $0.isItemLocked = false
      $0.person = .accepts
      $0.asksForNextItem = false
    }
  }

  func ask(_ person: FakeSecretService.Person, before call: Bus.Call) {
    state.withLock {
      $0.person = person
      if call.member == "CreateItem" { $0.asksForNextItem = true } else { $0.isLocked = true }
    }
  }

  /// Half of a store.
  func tear(_ call: Bus.Call) { state.withLock { $0.item = (made(by: call).attributes, []) } }

  func answer(_ call: Bus.Call) -> Bus.Answer {
    state.withLock { answer(call, &$0) }
  }

  private func answer(_ call: Bus.Call, _ state: inout State) -> Bus.Answer {
    switch call.member {
    case "OpenSession" where call.arguments[0].text != "plain": .error("org.freedesktop.DBus.Error.NotSupported")
    case "OpenSession": .reply("(<''>, \(Self.session(state)))")
    case "ReadAlias": .reply("(\(Self.collection),)")
    case "GetAll": .reply("(@a{sv} {},)")
    case "Get": .reply(property(call.arguments[1].text, state))
    case "SearchItems": .reply(found(state))
    case "GetSecrets": secrets(call.arguments[1].text, state)
    case "Unlock": .reply("(@ao [], \(Self.prompt))")
    case "Prompt": prompted(call.path, &state)
    case "Dismiss" where state.person != .isAway: Self.completed(dismissed: true)
    case "CreateItem": created(call, &state)
    case "Delete": deleted(&state)
    default: .reply("()")
    }
  }

  private static func session(_ state: State) -> String {
    "objectpath '/org/freedesktop/secrets/session/s\(state.session)'"
  }

  private static let noSession = Bus.Answer.error("org.freedesktop.Secret.Error.NoSession")

  private func found(_ state: State) -> String {
    if state.item == nil { return "(@ao [], @ao [])" }
    return state.isLocked || state.isItemLocked ? "(@ao [], [\(Self.item)])" : "([\(Self.item)], @ao [])"
  }

  private func property(_ name: String, _ state: State) -> String {
    if name == "Locked" { return "(<\(state.isLocked)>,)" }
    let pairs = (state.item?.attributes ?? [:]).map { "'\($0)': '\($1)'" }.joined(separator: ", ")
    return "(<@a{ss} {\(pairs)}>,)"
  }

  private func secrets(_ session: String, _ state: State) -> Bus.Answer {
    guard Self.session(state).contains("'\(session)'") else { return Self.noSession }
    guard let item = state.item, !state.isLocked, !state.isItemLocked else {
      return .reply("(@a{o(oayays)} {},)")
    }
    let bytes = "@ay [\(item.secret.map { "byte \($0)" }.joined(separator: ", "))]"
    return .reply("({\(Self.item): (\(Self.session(state)), @ay [], \(bytes), 'text/plain')},)")
  }

  private func prompted(_ path: String, _ state: inout State) -> Bus.Answer {
    state.prompts += 1
    switch state.person {
    case .accepts:
      if Self.itemPrompt.contains(path) {
        state.item = state.pending
        return Self.completed(dismissed: false, "<\(Self.item)>")
      }
      state.isLocked = false
      state.isItemLocked = false
      return Self.completed(dismissed: false, "<[\(Self.collection)]>")
    case .dismisses:
      return Self.completed(dismissed: true, Self.itemPrompt.contains(path) ? "<\(Self.nothing)>" : "<@ao []>")
    case .isAway: return .reply("()")
    }
  }

  private static func completed(dismissed: Bool, _ result: String = "<@ao []>") -> Bus.Answer {
    .signal(interface: "org.freedesktop.Secret.Prompt", member: "Completed", "(\(dismissed), \(result))")
  }

  private func created(_ call: Bus.Call, _ state: inout State) -> Bus.Answer {
    guard Self.session(state).contains("'\(call.arguments[1][0].text)'") else { return Self.noSession }
    if state.isLocked { return .error("org.freedesktop.Secret.Error.IsLocked") }
    if behavior.asksForItems || state.asksForNextItem {
      state.asksForNextItem = false
      state.pending = made(by: call)
      return .reply("(\(Self.nothing), \(Self.itemPrompt))")
    }
    state.item = made(by: call)
    return .reply("(\(Self.item), \(Self.nothing))")
  }

  private func made(by call: Bus.Call) -> Item {
    let properties = call.arguments[0].children.map { ($0[0].text, $0[1].inner) }
    let attributes = properties.first { $0.0.hasSuffix("Attributes") }?.1.dictionary ?? [:]
    return (attributes, behavior.altersSecrets ? Array("other".utf8) : call.arguments[1][2].bytes)
  }

  private func deleted(_ state: inout State) -> Bus.Answer {
    if !behavior.keepsWhatIsRemoved { state.item = nil }
    return .reply("(\(Self.nothing),)")
  }
}

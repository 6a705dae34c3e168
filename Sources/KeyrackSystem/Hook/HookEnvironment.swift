/// Where hooks run, and what they find there.
struct HookEnvironment: Sendable {
  private static let display = ["DISPLAY", "WAYLAND_DISPLAY"]

  /// The daemon's own.
  let variables: [String: String]
  /// Where there is one.
  let manager: UserManager?

  /// Looks for the manager, which comes and goes, and to which a desktop tells its display some time after the start.
  static func current(_ variables: [String: String]) async -> HookEnvironment {
    let manager = try? await Thread.run("user-manager") { UserManager(for: variables) }.get()
    return HookEnvironment(variables: variables, manager: manager ?? nil)
  }

  /// Nil where it is empty, too.
  subscript(name: String) -> String? { Self.value(name, in: variables) ?? Self.value(name, in: manager?.variables) }

  var hasDisplay: Bool { Self.display.contains { self[$0] != nil } }

  /// What to start so that `words` run as the hook.
  func command(for hook: Hook, running words: [String]) -> (words: [String], environment: [String: String]) {
    guard let manager else { return (words, variables.merging(hook.variables) { $1 }) }
    let added = forwarded.merging(hook.variables) { $1 }
    return (manager.command(for: hook, running: words, adding: added), manager.environment(of: variables))
  }

  /// The manager knows the session better; but it may be told nothing of it.
  private var forwarded: [String: String] {
    let isTold = Self.display.contains { Self.value($0, in: manager?.variables) != nil }
    let names = ["PATH"] + (isTold ? [] : Self.display + ["XAUTHORITY"])
    return variables.filter { names.contains($0.key) && !$0.value.isEmpty }
  }

  private static func value(_ name: String, in variables: [String: String]?) -> String? {
    variables?[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

import KeyrackProtocol

/// `keyrack reload`.
enum ReloadCommand {
  static func run(json: Bool) throws -> Int32 {
    try Call.perform(ReloadOperation(), json: json) { reply in
      for change in reply.changes { Output.note(change) }
      if reply.changes.isEmpty { Output.note("nothing has changed") }
      guard !reply.removed.isEmpty else { return }
      Output.note("a session of what was removed stays in the keyring: keyrack status lists it, keyrack logout ends it")
    }
  }
}

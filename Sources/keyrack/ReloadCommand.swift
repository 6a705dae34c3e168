import KeyrackProtocol

/// `keyrack reload`.
enum ReloadCommand {
  static func run(json: Bool) throws -> Int32 {
    try Call.perform(ReloadOperation(), json: json) { reply in
      let changes = [("added", reply.added), ("removed", reply.removed), ("changed", reply.changed)]
      for (change, accounts) in changes where !accounts.isEmpty {
        Output.note("\(change): \(accounts.joined(separator: ", "))")
      }
      if changes.allSatisfy(\.1.isEmpty) { Output.note("no account changed") }
    }
  }
}

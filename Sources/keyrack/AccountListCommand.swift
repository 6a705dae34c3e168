import KeyrackProtocol

/// `keyrack account list`.
enum AccountListCommand {
  static func run(json: Bool) throws -> Int32 {
    try Call.perform(StatusOperation(account: nil), json: json) { reply in
      if reply.accounts.isEmpty {
        Output.note("no account is configured; to add one: keyrack account add NAME --provider NAME")
        return
      }
      let rows = reply.accounts.map { [$0.account, $0.provider, $0.stateInWords] }
      try Output.data(Table.text([["NAME", "PROVIDER", "STATE"]] + rows))
    }
  }
}

import KeyrackProtocol

/// `keyrack provider secret`: it goes into the keyring, by way of the daemon.
struct ProviderSecretCommand {
  private let provider: String
  private let invocation: Invocation

  init(_ invocation: Invocation) throws(CommandFailure) {
    try invocation.exclude(.remove, .secretFromInput)
    self.invocation = invocation
    provider = invocation.operands.first ?? ""
  }

  func run(json: Bool) throws -> Int32 {
    // A secret under a name that nothing has would never be found again.
    _ = try Call.reply(to: ProvidersOperation()).body.provider(named: provider)
    let secret = try invocation.has(.remove) ? nil : secret()
    return try Call.perform(SecretOperation(provider: provider, secret: secret), json: json) { reply in
      let end = reply.remembered == false ? ", until keyrackd stops" : ""
      Output.note("\(secret == nil ? "removed" : "keeping") the secret of \(reply.provider)\(secret == nil ? "" : end)")
    }
  }

  private func secret() throws -> Secret {
    if invocation.has(.secretFromInput) { return try StandardInput.secret("secret") }
    let terminal = try Terminal(instead: "keyrack provider secret \(provider) --secret-stdin")
    guard let secret = try terminal.secret("secret of \(provider)") else {
      throw CommandFailure(status: 1, "no secret was given")
    }
    return secret
  }
}

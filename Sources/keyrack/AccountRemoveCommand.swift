import KeyrackClient
import KeyrackProtocol

/// `keyrack account remove`: signs out, then takes the account out of the configuration.
struct AccountRemoveCommand {
  private let invocation: Invocation
  private let account: String
  private var group: String { "account \(account)" }

  init(_ invocation: Invocation) {
    self.invocation = invocation
    account = invocation.account ?? ""
  }

  func run(json: Bool) throws -> Int32 {
    let status = try Call.reply(to: StatusOperation(account: nil)).body
    try requireOwnGroup(isOrphan: status.orphans.contains(account))
    try confirm()
    let isPending = try signOut()
    let file = try ConfigurationFile()
    let provider = file.string("provider", group: group) ?? ""
    file.remove(group: group)
    file.removeUses(of: account)
    let others = status.accounts.filter { $0.account != account }.map(\.provider) + file.accountProviders
    let goes = provider == account && file.has(group: "provider \(provider)") && !others.contains(provider)
    // A provider that is still to be told has to be known until then.
    if goes && !isPending { file.remove(group: "provider \(provider)") }
    let reload = try file.saveAndReload()
    if json { try Output.line(reload.line.bytes) }
    Output.note("removed \(account) from \(file.path)")
    if goes { isPending ? tellOfProvider(file) : forgetSecret() }
    return 0
  }

  /// Whose file it is in decides whether it can be removed.
  private func requireOwnGroup(isOrphan: Bool) throws {
    let file = try ConfigurationFile()
    if file.has(group: group) { return }
    if let fragment = file.fragment(with: group) {
      throw CommandFailure(
        status: 1, "\(account): configured in \(fragment), which is yours to edit",
        hint: "remove [\(group)] there, then: keyrack reload")
    }
    guard !isOrphan else {
      throw CommandFailure(
        status: 1, "\(account): in the keyring, but not configured", hint: "keyrack logout \(account)")
    }
    throw CommandFailure(status: 1, "\(account): no such account", hint: "keyrack account list")
  }

  private func confirm() throws {
    if invocation.has(.yes) { return }
    let terminal = try Terminal(instead: "keyrack account remove \(account) --yes")
    guard try terminal.confirm("sign out of \(account), and remove it?") else {
      throw CommandFailure(status: 1, "\(account) was left as it is")
    }
  }

  /// Whether the provider is still to be told.
  private func signOut() throws -> Bool {
    do {
      let reply = try Call.reply(to: LogoutOperation(account: account, wait: true)).body
      return reply.remote == .pending
    } catch let refusal as Call.Refusal where refusal.error.code == .unknownAccount {
      // Written since the last reload: the daemon has nothing of it.
      return false
    }
  }

  private func tellOfProvider(_ file: ConfigurationFile) {
    Output.warning(
      "the provider is still to be told: [provider \(account)] stays in \(file.path) while keyrack status says so"
    )
  }

  private func forgetSecret() {
    do { _ = try Call.reply(to: SecretOperation(provider: account, secret: nil)) } catch {
      Output.warning("a secret of \(account) may still be in the keyring")
    }
  }
}

extension ConfigurationFile {
  /// Without its account such a group would be an error.
  fileprivate func removeUses(of account: String) {
    for group in groups where group.hasPrefix("use ") && string("account", group: group) == account {
      remove(group: group)
    }
  }

  /// What the accounts in it are of.
  fileprivate var accountProviders: [String] {
    groups.filter { $0.hasPrefix("account ") }.compactMap { string("provider", group: $0) }
  }
}

package import KeyrackProtocol

extension TokenCoordinator {
  /// Reads the configuration again. A broken one leaves the old one in force. `caller`: nil where it was a signal.
  package func reload(by caller: Caller? = nil) async -> Result<ReloadOperation.Reply, ReplyError> {
    do throws(ConfigurationError) {
      let configuration = try await source.read()
      if configuration.storage != storage { throw ConfigurationError(storageChangedTo: configuration.storage) }
      if isStopping { return .failure(.shuttingDown) }
      configurationError = nil
      let reply = apply(configuration)
      let changes = reply.changes.isEmpty ? "nothing has changed" : reply.changes.joined(separator: ", ")
      report(Event(.configuration, "configuration read: \(changes)", caller: caller))
      return .success(reply)
    } catch {
      report(Event(.configurationRefused, error.message, caller: caller))
      return .failure(error.reply)
    }
  }

  private func apply(_ configuration: Configuration) -> ReloadOperation.Reply {
    let old = slots
    let changedProviders = providers.groups(differingFrom: configuration.providers)
    providers = configuration.providers
    descriptions = configuration.descriptions
    caFile = configuration.caFile
    uses = configuration.uses
    notices = configuration.notices
    for key in health.keys { health[key]?.configurationChanged() }
    let removed = old.keys.filter { configuration.accounts[$0] == nil }
    let added = configuration.accounts.keys.filter { old[$0] == nil }
    let changed = configuration.accounts.values.filter {
      old[$0.name].map(\.account) != .some($0) && old[$0.name] != nil
    }
    for name in removed { remove(name) }
    for name in added { add(configuration.accounts[name]) }
    for account in changed {
      slots[account.name]?.account = account
      forgetConfirmations(of: account.name)
    }
    // The unchanged ones, too: what a provider has refused may be in order there by now.
    for slot in slots.values { slot.session?.configurationChanged(to: slot.account.provider, wall: time.wall) }
    countSignedIn()
    planRefresh()
    configurationRead()
    noticesConfigured()
    return .init(
      added: added.sorted(), removed: removed.sorted(), changed: changed.map(\.name).sorted(),
      providers: changedProviders)
  }

  /// The account is no longer configured. Its session stays, to be ended by the user only, unless it was in memory
  /// alone.
  private func remove(_ name: String) {
    endLogin(of: name, nil, .failure(.loginCanceled(name)))
    forgetConfirmations(of: name)
    guard let slot = slots.removeValue(forKey: name), let session = slot.session else { return }
    if session.isRemembered {
      orphans[name] = session
      wakeWaiters(ofEnded: session.id)
    } else {
      release(session)
      let tokens = MintedTokens(refreshToken: session.record.refreshToken, accessToken: session.accessToken?.secret)
      revokeUnwanted(tokens, session: session.id, slot.account.completed(by: session.record.endpoints))
    }
  }

  private func add(_ account: Account?) {
    guard let account else { return }
    slots[account.name] = AccountSlot(account: account, wall: time.wall)
    if let session = orphans.removeValue(forKey: account.name) { adopt(session) }
  }
}

extension [String: Provider] {
  /// The groups `[provider NAME]` that are not the same in both. What an account has for itself has no name that a group
  /// could have.
  fileprivate func groups(differingFrom others: [String: Provider]) -> [String] {
    Set(keys).union(others.keys).filter { Account.isValid(name: $0) && self[$0] != others[$0] }.sorted()
  }
}

extension ConfigurationError {
  /// What is kept in one place would be missing in the other.
  fileprivate init(storageChangedTo storage: Configuration.Storage) {
    self.init(
      "[keyrack] store: it is \(storage.rawValue) only after a restart",
      hint: "systemctl --user restart keyrack.service")
  }
}

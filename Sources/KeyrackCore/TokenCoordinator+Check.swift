package import KeyrackProtocol

/// `check`: looks at everything at once, so that what hangs delays nothing else. Changes nothing.
extension TokenCoordinator {
  /// After the deadlines of a provider and of the keyring, so that their own reasons come first.
  private static let longestCheck = Duration.seconds(25)
  private static let keyringCheck = "keyring"

  /// Of accounts, and of their providers, only those that the program may use.
  package func check(by caller: Caller) async -> Result<CheckOperation.Reply, ReplyError> {
    let configuration = looking { await self.checkConfiguration() }
    let keyring = looking { await self.checkKeyring() }
    let asked = providersUsed(by: caller).map { provider in
      (provider, looking { await self.ask(provider) })
    }
    let confirmation = looking { await self.checkConfirmation(by: caller) }
    var checks = [await configuration.value ?? .late("configuration")]
    checks +=
      await keyring.value ?? [
        .late(Self.keyringCheck, hint: "a prompt may be waiting for you; else start the keyring anew")
      ]
    if !locksMemory { checks.append(Self.memoryCheck) }
    var clock = ClockComparison()
    for (provider, look) in asked {
      let answer = await look.value
      checks.append(answer?.check ?? .late("provider \(provider.displayName)"))
      if let lead = answer?.lead { clock.leads.append((provider.displayName, lead)) }
    }
    if let check = await confirmation.value ?? nil { checks.append(check) }
    if isStopping { return .failure(.shuttingDown) }
    if let check = clock.check { checks.append(check) }
    let keyringFails = checks.contains { $0.name == Self.keyringCheck && $0.result == .fail }
    return .success(.init(checks: checks + checksOfSessions(by: caller, keyringFails: keyringFails)))
  }

  /// Nil at the deadline, or where the daemon stops.
  private func looking<Found: Sendable>(_ look: @escaping @Sendable () async -> Found) -> Task<Found?, Never> {
    lastCheck += 1
    let number = lastCheck
    let deadline = time.now + Self.longestCheck
    return Task {
      let found = Task {
        defer { wake(.check(number), .settled) }
        return await look()
      }
      guard case .settled = await wait(for: .check(number), before: deadline) else { return nil }
      return await found.value
    }
  }

  private static var memoryCheck: Check {
    .warn(
      "memory", "tokens may be swapped out: keyrackd cannot lock memory",
      hint: "let it lock 8 MiB: ulimit -l 8192, or LimitMEMLOCK=8M of its unit")
  }

  // MARK: The configuration

  private func checkConfiguration() async -> Check {
    let name = "configuration"
    do throws(ConfigurationError) {
      let onDisk = try await source.read()
      if configurationError != nil {
        return .fail(name, "in order by now; keyrackd was started with a broken one", hint: "keyrack reload")
      }
      guard isInForce(onDisk) else { return .warn(name, "it has changed since it was read", hint: "keyrack reload") }
      return .ok(name, "in force as it is on disk")
    } catch {
      let inForce = configurationError == nil ? "the one before stays in force" : "none is in force"
      return .fail(name, "\(error.message); \(inForce)", hint: error.reply.hint)
    }
  }

  private func isInForce(_ configuration: Configuration) -> Bool {
    configuration.providers == providers && configuration.accounts == slots.mapValues(\.account)
      && configuration.caFile == caFile && configuration.uses == uses && configuration.notices == notices
      && configuration.storage == storage
  }

  // MARK: The keyring

  private func checkKeyring() async -> [Check] {
    if let words = storage.inWords { return [.ok(Self.keyringCheck, words)] }
    let bus = "session bus"
    do throws(StoreError) { try await store.probeBus() } catch {
      let hint = "sign in to a desktop; for a machine without one: man keyrackd"
      return [
        .fail(bus, "cannot be reached (\(error.detail))", hint: hint),
        .fail(Self.keyringCheck, "cannot be reached without the session bus", hint: "see session bus"),
      ]
    }
    return [.ok(bus, "answers"), await tryKeyring()]
  }

  private func tryKeyring() async -> Check {
    let name = Self.keyringCheck
    do throws(StoreError) { try await store.probe() } catch {
      switch error {
      case .locked:
        return .fail(
          name, "locked, or without a default collection",
          hint: "unlock it; keyrack login ACCOUNT asks for its password, too")
      case .unavailable:
        return .fail(name, "there is none on the session bus (\(error.detail))", hint: StoreError.startHint)
      case .unusable, .conflict, .failed:
        return .fail(name, error.detail, hint: StoreError.failureHint)
      }
    }
    return .ok(name, "there and unlocked; an item was stored, read and removed")
  }

  // MARK: Providers

  /// Each once, although several accounts may have one of their own that is made from the same preset.
  private func providersUsed(by caller: Caller) -> [Provider] {
    var found: [String: Provider] = [:]
    for slot in slots.values where mayUse(slot.account.name, caller) {
      let provider = slot.account.provider
      found["\(provider.displayName) \(provider.host)"] = provider
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The lead is this clock's, in seconds.
  private func ask(_ provider: Provider) async -> (check: Check, lead: Int?) {
    let finding = await signIns.probe(provider)
    let lead = finding.date.map { time.wall - $0 }
    return (Self.check(of: finding, "provider \(provider.displayName)"), lead)
  }

  private static func check(of finding: ProviderFinding, _ name: String) -> Check {
    let network = "see whether other sites can be reached from here, and whether a proxy is needed"
    switch finding.outcome {
    case .success(let message): return .ok(name, message)
    case .failure(.unavailable(let message, let hint)): return .fail(name, message, hint: hint ?? network)
    case .failure(.throttled(let message, _)): return .warn(name, message, hint: "wait as long as it asks")
    case .failure(.rejected(let rejection)):
      return .fail(
        name, rejection.message, hint: rejection.hint ?? "see its group in keyrack.conf, and keyrack provider show")
    }
  }

  // MARK: The person

  /// Nil where nobody has to be asked for a token, or somebody can.
  private func checkConfirmation(by caller: Caller) async -> Check? {
    let asked = slots.values.map(\.account).filter { $0.policy.confirms && mayUse($0.name, caller) }
    guard !asked.isEmpty, case .impossible(let denial, let message)? = await prompt.obstacle() else { return nil }
    let names = asked.map(\.name).sorted().joined(separator: ", ")
    return .fail("confirmation", "\(message), for \(names)", hint: denial.hint(nil, caller.program))
  }

  // MARK: Sessions

  private func checksOfSessions(by caller: Caller, keyringFails: Bool) -> [Check] {
    guard case .success(let found) = status(StatusOperation(), by: caller) else { return [] }
    let accounts = found.accounts.map { $0.check(wall: time.wall, keyringFails: keyringFails) }
    let orphans = found.orphans.map { name in
      Check.warn(
        "account \(name)", "the keyring has a session of it, and the configuration does not name it",
        hint: "put it back, or keyrack logout \(name)")
    }
    let owed = found.outbox.map { revocation in
      Check.warn(
        "sign-out of \(revocation.account)",
        "the provider is still to be told" + (revocation.lastError.map { ": \($0.message)" } ?? ""),
        hint: "nothing has to be done: it is tried again for a week")
    }
    return accounts + orphans + owed
  }
}

extension Check {
  fileprivate static func late(_ name: String, hint: String? = nil) -> Check {
    .fail(name, "no answer within 25 s", hint: hint ?? "keyrack log, and keyrack check again")
  }
}

extension StoreError {
  /// Without the account that was asked for.
  fileprivate var detail: String {
    switch self {
    case .locked: "locked"
    case .unavailable(let message), .failed(let message): message
    case .unusable(let record): record.message
    case .conflict: "another program writes at the same time"
    }
  }
}

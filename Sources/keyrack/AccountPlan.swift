import KeyrackClient
import KeyrackProtocol

/// An account to be added, when nothing is left to be asked.
struct AccountPlan {
  let account: String
  /// The account's `provider=`.
  let provider: String
  /// Nil leaves them to the provider.
  var scopes: ScopeList?
  /// The group of the provider; none where it has one already or needs none.
  var settings: [Setting] = []
  /// The issuer to register at, which gives the other settings.
  var registration: String?
  var secret: Secret?

  init(account: String, provider: String, scopes: ScopeList? = nil) {
    self.account = account
    self.provider = provider
    self.scopes = scopes
  }

  /// Does it all, or nothing: where the daemon refuses, the file and the keyring are as before.
  func carryOut() throws -> Call.Answered<ReloadOperation.Reply> {
    var settings = settings
    if let issuer = registration {
      let redirect = settings.last { $0.key == "redirect_uri" }?.value
      let request = RegisterOperation(issuer: issuer, provider: provider, redirectURI: redirect)
      settings = try Call.reply(to: request).body.settings + settings.filter { $0.key != "redirect_uri" }
    }
    if let secret { _ = try Call.reply(to: SecretOperation(provider: provider, secret: secret)) }
    do { return try configure(settings) } catch {
      let method = settings.last { $0.key == "token_endpoint_auth_method" }?.value
      if secret != nil || registration != nil && ClientProof(method) != .none { forgetSecret() }
      throw error
    }
  }

  private func configure(_ settings: [Setting]) throws -> Call.Answered<ReloadOperation.Reply> {
    let file = try ConfigurationFile()
    let accountGroup = "account \(account)"
    let providerGroup = "provider \(provider)"
    // Somebody may have written it while the person was asked.
    for group in [accountGroup] + (settings.isEmpty ? [] : [providerGroup]) where file.has(group: group) {
      throw CommandFailure(status: 1, "\(file.path): [\(group)] is there already", hint: "keyrack account list")
    }
    for setting in settings { file.set(setting.key, toEscaped: setting.value, group: providerGroup) }
    file.set("provider", to: provider, group: accountGroup)
    if let scopes { file.set("scopes", toEscaped: scopes.escaped, group: accountGroup) }
    let reload = try file.saveAndReload()
    Output.note("added \(account) to \(file.path)")
    return reload
  }

  private func forgetSecret() {
    do { _ = try Call.reply(to: SecretOperation(provider: provider, secret: nil)) } catch {
      Output.warning(
        "a secret of \(provider) may be left in the keyring; the next keyrack account add \(account) replaces it"
      )
    }
  }
}

extension ConfigurationFile {
  /// Writes it and has the daemon read it. Where that does not work, the file is as before.
  func saveAndReload() throws -> Call.Answered<ReloadOperation.Reply> {
    let signals = HeldSignals()
    defer { signals.release() }
    try save()
    do { return try Call.reply(to: ReloadOperation()) } catch {
      try restore()
      throw error
    }
  }
}

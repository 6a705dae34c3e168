import KeyrackClient
import KeyrackProtocol

/// Asks the person for what a draft lacks. Nothing is changed anywhere by it.
struct AccountInterview {
  private let draft: AccountDraft
  private let providers: ProvidersOperation.Reply

  /// Throws where the name is taken, or there is no daemon: nobody is asked in vain.
  init(_ draft: AccountDraft) throws {
    self.draft = draft
    let status = try Call.reply(to: StatusOperation(account: nil)).body
    providers = try Call.reply(to: ProvidersOperation()).body
    let isConfigured = status.accounts.contains { $0.account == draft.name }
    if try isConfigured || ConfigurationFile().has(group: "account \(draft.name)") {
      throw CommandFailure(
        status: 1, "\(draft.name): an account of that name is configured already", hint: "keyrack account list")
    }
  }

  func plan() throws -> AccountPlan {
    switch draft.source {
    case .provider(let name): try plan(of: providers.provider(named: name))
    case .issuer(let issuer): try plan(of: issuer)
    case .endpoints(let settings): try plan(settings, methods: [])
    }
  }

  private func plan(of provider: ProviderDescription) throws -> AccountPlan {
    switch provider.origin {
    case .preset where needsGroup(provider): return try plan(ofPreset: provider)
    case .preset, .configuration: break
    }
    if let client = draft.clientID, client != provider["client_id"] {
      throw CommandFailure(
        status: 1, "provider \(provider.name): is configured with another client_id than \(client)",
        hint: "keyrack provider show \(provider.name)")
    }
    if !draft.settings.isEmpty {
      throw CommandFailure(
        status: 1, "provider \(provider.name): is configured already, and keeps what it has",
        hint: "set \(draft.settings.map(\.key).joined(separator: ", ")) in [provider \(provider.name)]")
    }
    return AccountPlan(account: draft.name, provider: provider.name, scopes: try scopes(usual: provider["scopes"]))
  }

  private func needsGroup(_ preset: ProviderDescription) -> Bool {
    !preset.missing.isEmpty || draft.clientID != nil || draft.secret != nil || !draft.settings.isEmpty
      || ClientProof(preset["token_endpoint_auth_method"]) != .none
  }

  private func plan(ofPreset preset: ProviderDescription) throws -> AccountPlan {
    try requireFreeProvider()
    let given = draft.settings.map(\.key)
    guard !given.contains("host") || preset["host"] != nil || preset.missing.contains("host") else {
      throw CommandFailure(
        status: 2, "provider \(preset.name): there is but one server of it, --host names no other",
        hint: "keyrack provider show \(preset.name)")
    }
    var plan = AccountPlan(account: draft.name, provider: draft.name)
    plan.settings = [Setting("preset", preset.name)]
    var keys = preset.missing.filter { !given.contains($0) }
    if draft.clientID != nil && !keys.contains("client_id") { keys.append("client_id") }
    for key in keys { plan.settings.append(try value(of: key, at: preset)) }
    plan.settings += draft.settings
    let proof = ClientProof(preset["token_endpoint_auth_method"])
    if proof == .none && draft.secret != nil {
      plan.settings.append(Setting("token_endpoint_auth_method", ClientProof.post.rawValue))
    }
    plan.secret = try draft.secret ?? proof.ask(of: draft.name)
    plan.scopes = try scopes(usual: preset["scopes"])
    return plan
  }

  private func value(of key: String, at provider: ProviderDescription) throws -> Setting {
    if key == "client_id", let client = draft.clientID { return Setting(key, client) }
    let terminal = try terminal()
    Output.note("needed: \(ClientSource.explanation(of: key, at: provider))")
    if key == "client_id" { noteRedirect(provider["redirect_uri"]) }
    return Setting(key, try terminal.text("\(key) for \(provider.name)"))
  }

  private func plan(of issuer: String) throws -> AccountPlan {
    try requireFreeProvider()
    let found = try IssuerInquiry(issuer, forgivesSlash: draft.forgivesSlash).reply()
    if found.registers && draft.clientID == nil {
      var plan = AccountPlan(account: draft.name, provider: draft.name, scopes: try scopes(of: found))
      plan.registration = found.issuer
      plan.settings = draft.settings
      return plan
    }
    let settings = [Setting("issuer", found.issuer), Setting("discovery", found.discovery)]
    var plan = try plan(settings, methods: found.tokenEndpointAuthMethods)
    plan.scopes = try scopes(of: found)
    return plan
  }

  private func plan(_ settings: [Setting], methods: [String]) throws -> AccountPlan {
    try requireFreeProvider()
    let client = try client()
    var plan = AccountPlan(account: draft.name, provider: draft.name, scopes: draft.scopes)
    plan.settings = settings + [Setting("client_id", client.id)]
    plan.secret = client.secret
    if plan.secret != nil {
      // The one that every server has to know (RFC 6749, section 2.3.1), unless this one says otherwise.
      let proof: ClientProof = methods.isEmpty || methods.contains(ClientProof.basic.rawValue) ? .basic : .post
      plan.settings.append(Setting("token_endpoint_auth_method", proof.rawValue))
    }
    plan.settings += draft.settings
    return plan
  }

  private func client() throws -> (id: String, secret: Secret?) {
    if let client = draft.clientID { return (client, draft.secret) }
    let terminal = try terminal()
    Output.note("needed: client_id, the id of an app that you register at the provider as a desktop or native one")
    noteRedirect(nil)
    let id = try terminal.text("client_id")
    return (id, try draft.secret ?? terminal.secret("client secret (not shown; empty where there is none)"))
  }

  /// Who registers an app is asked where its browser comes back to.
  private func noteRedirect(_ usual: String?) {
    let given = draft.settings.first { $0.key == "redirect_uri" }?.value
    let uri = given ?? usual ?? "http://127.0.0.1:{port}/callback/\(draft.name)"
    Output.note("its redirect URI: \(uri.replacing(":{port}", with: "")) (with any port, where one has to be given)")
  }

  private func requireFreeProvider() throws {
    let isConfigured = providers.providers.contains { $0.name == draft.name && $0.origin == .configuration }
    if try isConfigured || ConfigurationFile().has(group: "provider \(draft.name)") {
      throw CommandFailure(
        status: 1, "\(draft.name): a provider of that name is configured already",
        hint: "keyrack account add OTHERNAME, or --provider \(draft.name)")
    }
  }

  // MARK: Scopes

  /// Nil where the provider's own are meant.
  private func scopes(usual escaped: String?) throws -> ScopeList? {
    let usual = ScopeList(escaped: escaped ?? "")
    return try scopes(usual: usual).flatMap { $0.scopes == usual.scopes ? nil : $0 }
  }

  /// An issuer has no usual ones: those that keep one signed in, as far as it knows them.
  private func scopes(of issuer: DiscoverOperation.Reply) throws -> ScopeList? {
    try scopes(usual: ScopeList(["openid", "offline_access"].filter(issuer.scopes.contains)))
  }

  private func scopes(usual: ScopeList) throws -> ScopeList? {
    if let scopes = draft.scopes { return scopes }
    guard draft.asksForScopes, Terminal.isThere else { return usual.isEmpty ? nil : usual }
    let question = "scopes, separated by spaces" + (usual.isEmpty ? " (empty for the provider's own)" : "")
    let typed = try ScopeList(typed: terminal().text(question, default: usual.typed))
    return typed.isEmpty ? nil : typed
  }

  private func terminal() throws(CommandFailure) -> Terminal {
    try Terminal(instead: "give --client-id, and --secret-stdin where it has a secret")
  }
}

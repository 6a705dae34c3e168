import KeyrackProtocol

/// `keyrack account add`: asks, writes the configuration, signs in.
struct AccountAddCommand {
  private let invocation: Invocation
  private let draft: AccountDraft

  init(_ invocation: Invocation) throws(CommandFailure) {
    try invocation.exclude(.provider, .issuer)
    try invocation.exclude(.issuer, .host)
    self.invocation = invocation
    var draft = try AccountDraft(name: invocation.account ?? "", source: Self.source(invocation))
    draft.clientID = invocation[.clientID]
    if let host = invocation[.host] { draft.settings.append(Setting("host", host)) }
    if let uri = invocation[.redirectURI] { draft.settings.append(Setting("redirect_uri", uri)) }
    draft.scopes = try invocation[.scopes].map { text throws(CommandFailure) in try ScopeList(typed: text) }
    self.draft = draft
  }

  private static func source(_ invocation: Invocation) throws(CommandFailure) -> AccountDraft.Source {
    if let provider = invocation[.provider] { return .provider(provider) }
    if let issuer = invocation[.issuer] { return .issuer(issuer) }
    throw .usage("account add: either --provider NAME or --issuer URL, which?", of: .accountAdd)
  }

  func run(json: Bool) throws -> Int32 {
    let signIn = try NewAccountLogin(invocation, account: draft.name)
    var draft = draft
    if invocation.has(.secretFromInput) { draft.secret = try StandardInput.secret("secret") }
    let reload = try AccountInterview(draft).plan().carryOut()
    return try signIn.run(after: reload, json: json)
  }
}

import KeyrackProtocol

/// An account as another program had it.
struct ImportedAccount {
  /// What it is called there.
  var name: String?
  var source: AccountDraft.Source
  var clientID: String?
  var clientSecret: Secret?
  var scopes: ScopeList?
  /// Further lines for the provider's group.
  var settings: [Setting] = []
  /// Nil where the other program keeps it to itself.
  var refreshToken: Secret?

  init(source: AccountDraft.Source) { self.source = source }
}

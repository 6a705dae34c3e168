import KeyrackProtocol

/// A block `account "NAME" { ... }` of `pizauth.conf`. Its tokens only pizauth itself can read.
struct PizauthAccount {
  let name: String
  private let fields: [String: [String]]

  init(name: String, fields: [String: [String]]) {
    self.name = name
    self.fields = fields
  }

  static func read(_ text: [UInt8], named name: String?) throws -> ImportedAccount {
    guard let text = String(validating: text, as: UTF8.self) else {
      throw CommandFailure(
        status: 1, "not pizauth's configuration: only pizauth reads what pizauth dump prints",
        hint: ImportFormat.pizauth.example)
    }
    let accounts = try PizauthConfiguration(text).accounts
    guard let account = accounts.first(where: { $0.name == name }) ?? (accounts.count == 1 ? accounts[0] : nil) else {
      let names = accounts.map(\.name).joined(separator: ", ")
      throw CommandFailure(
        status: 1, accounts.isEmpty ? "no account is in it" : "it has several accounts, which of \(names)?",
        hint: accounts.first.map { "keyrack import pizauth FILE --account \($0.name)" })
    }
    return try account.imported()
  }

  private func imported() throws -> ImportedAccount {
    guard let token = self["token_uri"], let authorization = self["auth_uri"] else {
      throw CommandFailure(status: 1, "account \(name): it has no auth_uri or no token_uri")
    }
    var account = try Self.account(token: token, authorization: authorization)
    account.name = name
    account.clientID = self["client_id"]
    account.clientSecret = self["client_secret"].map { Secret($0) }
    if let scopes = fields["scopes"], !scopes.isEmpty {
      account.scopes = try ScopeList(typed: scopes.joined(separator: " "))
    }
    account.settings += LoopbackRedirect.settings(for: [self["redirect_uri"] ?? "http://localhost/"])
    return account
  }

  private subscript(key: String) -> String? { fields[key]?.first?.ifAny }

  /// A preset for the same endpoint knows more of the provider than these two lines.
  private static func account(token: String, authorization: String) throws -> ImportedAccount {
    let presets = try Call.reply(to: ProvidersOperation()).body.providers.filter { $0.origin == .preset }
    if let preset = presets.first(where: { $0["token_endpoint"] == token }) {
      return ImportedAccount(source: .provider(preset.name))
    }
    for preset in presets {
      guard let tenant = tenant(in: token, of: preset["token_endpoint"] ?? "") else { continue }
      var account = ImportedAccount(source: .provider(preset.name))
      account.settings = [Setting("tenant", tenant)]
      return account
    }
    return ImportedAccount(
      source: .endpoints([Setting("authorization_endpoint", authorization), Setting("token_endpoint", token)]))
  }

  /// What stands in an address where the preset has `{tenant}`.
  private static func tenant(in address: String, of template: String) -> String? {
    guard let mark = template.firstRange(of: "{tenant}") else { return nil }
    let (start, end) = (template[..<mark.lowerBound], template[mark.upperBound...])
    guard address.hasPrefix(start), address.hasSuffix(end), address.count > start.count + end.count else { return nil }
    let tenant = address.dropFirst(start.count).dropLast(end.count)
    return tenant.contains("/") ? nil : String(tenant)
  }
}

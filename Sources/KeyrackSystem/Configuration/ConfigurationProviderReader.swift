import KeyrackCore

/// Reads a group `[provider NAME]`, or what a group `[account NAME]` says beside the name of a preset.
struct ConfigurationProviderReader {
  private static let oauthKeys = ConfigurationOAuthReader.keys + ConfigurationHabitsReader.oauthKeys
  private static let jsonKeys = [
    "login_url", "refresh_url", "logout_url", "username_member", "password_member", "access_token_member",
    "refresh_token_member", "expires_in_member",
  ]
  private static let commonKeys = ["kind", "preset", "ca_file"]

  let group: ConfigurationGroup
  /// That of a provider without one of its own.
  var commonCAFile: CAFile?

  func provider() throws(ConfigurationError) -> Provider {
    let kind: Provider.Kind
    switch try group.string("kind") {
    case nil, "oauth":
      try requireKeys(of: "oauth", Self.oauthKeys, other: "json", Self.jsonKeys)
      kind = .oauth(try ConfigurationOAuthReader(group: group).oauth())
    case "json":
      try requireKeys(of: "json", Self.jsonKeys, other: "oauth", Self.oauthKeys)
      kind = .json(try json())
    case let other?:
      throw group.failure("kind", "\"\(other)\" is neither oauth nor json", hint: "write kind=oauth or kind=json")
    }
    let habits = try ConfigurationHabitsReader(group: group).habits(of: kind)
    return Provider(
      name: group.providerName, kind: kind, host: host(of: kind, habits),
      caFile: try group.caFile().map { CAFile($0) } ?? commonCAFile,
      habits: habits)
  }

  private func host(of kind: Provider.Kind, _ habits: ProviderHabits) -> String? {
    let url =
      switch kind {
      case .oauth(let oauth): habits.refreshEndpoint ?? oauth.endpoints.token ?? oauth.issuer ?? ""
      case .json(let json): json.refreshURL ?? json.loginURL
      }
    return (try? Endpoint(validating: url))?.name
  }

  private func requireKeys(
    of kind: String, _ own: [String], other: String, _ others: [String]
  ) throws(ConfigurationError) {
    let known = Self.commonKeys + own + ConfigurationHabitsReader.commonKeys
    for key in group.scan.keys where others.contains(key.name) {
      throw group.failure(
        key.name, "belongs to kind=\(other), this provider is kind=\(kind)",
        hint: "a provider of kind=\(kind) has \(known.joined(separator: ", "))")
    }
    if group.kind == "account" {
      let known = ConfigurationBuilder.accountKeys + known.filter { $0 != "preset" && $0 != "scopes" }
      try group.requireKeys(in: known, of: "an account with a preset")
    } else {
      try group.requireKeys(in: known, of: "a provider of kind=\(kind)")
    }
  }

  private func json() throws(ConfigurationError) -> Provider.JSONLogin {
    guard let loginURL = try group.endpoint("login_url") else {
      throw group.failure("login_url", "missing", hint: "login_url=https://..., where the password is posted")
    }
    var json = Provider.JSONLogin(
      loginURL: loginURL, refreshURL: try group.endpoint("refresh_url"), logoutURL: try group.endpoint("logout_url"))
    if let member = try group.string("username_member") { json.usernameMember = member }
    if let member = try group.string("password_member") { json.passwordMember = member }
    if let member = try group.string("access_token_member") { json.accessTokenMembers = [member] }
    if let member = try group.string("refresh_token_member") { json.refreshTokenMembers = [member] }
    if let member = try group.string("expires_in_member") { json.expiresInMembers = [member] }
    guard json.usernameMember != json.passwordMember else {
      throw group.failure(
        "password_member", "\"\(json.passwordMember)\" is the name of the username's member as well",
        hint: "give the two members different names")
    }
    return json
  }
}

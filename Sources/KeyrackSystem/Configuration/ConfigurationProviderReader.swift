import KeyrackCore

/// Reads a group `[provider NAME]`.
struct ConfigurationProviderReader {
  private static let oauthKeys =
    ["issuer", "client_id", "token_endpoint_auth_method", "token_endpoint", "revocation_endpoint", "password_grant"]
    + ConfigurationHabitsReader.oauthKeys
  private static let jsonKeys = [
    "login_url", "refresh_url", "logout_url", "username_member", "password_member", "access_token_member",
    "refresh_token_member", "expires_in_member",
  ]
  private static let commonKeys = ["kind", "ca_file"]

  let group: ConfigurationGroup

  func provider() throws(ConfigurationError) -> Provider {
    let kind: Provider.Kind
    switch try group.string("kind") {
    case nil, "oauth":
      try requireKeys(of: "oauth", Self.oauthKeys, other: "json", Self.jsonKeys)
      kind = .oauth(try oauth())
    case "json":
      try requireKeys(of: "json", Self.jsonKeys, other: "oauth", Self.oauthKeys)
      kind = .json(try json())
    case let other?:
      throw group.failure("kind", "\"\(other)\" is neither oauth nor json", hint: "write kind=oauth or kind=json")
    }
    let habits = try ConfigurationHabitsReader(group: group).habits()
    return Provider(
      name: group.name, kind: kind, host: host(of: kind, habits), caFile: try caFile(), habits: habits)
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
    try group.requireKeys(in: known, of: "a provider of kind=\(kind)")
  }

  private func oauth() throws(ConfigurationError) -> Provider.OAuth {
    let issuer = try group.endpoint("issuer")
    let clientID = try clientID()
    try requireNoSecret()
    guard let tokenEndpoint = try group.endpoint("token_endpoint", allowsQuery: true) else {
      throw group.failure(
        "token_endpoint",
        issuer == nil ? "missing" : "missing: this version does not discover endpoints from the issuer",
        hint: "token_endpoint=https://..., as the provider documents it")
    }
    return Provider.OAuth(
      issuer: issuer, clientID: clientID, tokenEndpoint: tokenEndpoint,
      revocationEndpoint: try group.endpoint("revocation_endpoint", allowsQuery: true),
      allowsPasswordGrant: try group.boolean("password_grant") ?? false)
  }

  /// The methods of the registry (RFC 7591, section 2) need a secret or a key, all but one.
  private func requireNoSecret() throws(ConfigurationError) {
    guard let method = try group.string("token_endpoint_auth_method"), method != "none" else { return }
    throw group.failure(
      "token_endpoint_auth_method", "\"\(method)\" needs a client secret or a key, which this version cannot hold",
      hint: "write token_endpoint_auth_method=none, with the client_id of a client that has no secret")
  }

  /// RFC 6749, appendix A.1: printable ASCII.
  private func clientID() throws(ConfigurationError) -> String {
    let value = try group.required("client_id", hint: "client_id=..., as the provider gave it for this program")
    guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw group.failure(
        "client_id", "holds a character that is not printable ASCII", hint: "copy it from the provider")
    }
    return value
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

  private func caFile() throws(ConfigurationError) -> String? {
    guard let value = try group.string("ca_file") else { return nil }
    let path = value.hasPrefix("~/") ? group.home + value.dropFirst(1) : value
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw group.failure("ca_file", "not an absolute path", hint: "begin it with / or ~/")
    }
    do { _ = try TrustedFile(opening: path) } catch {
      throw group.failure("ca_file", "\(path): \(error.what)", hint: error.hint ?? "name a PEM file that is there")
    }
    return path
  }
}

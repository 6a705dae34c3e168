import KeyrackCore
import KeyrackSystem
import Testing

/// A text that is refused, and in which words. The file's own path is left out of the message.
struct Refusal: Sendable, CustomTestStringConvertible {
  let text: String
  let message: String
  let hint: String?
  var testDescription: String { message }

  init(_ text: String, _ message: String, _ hint: String?) {
    self.text = text
    self.message = message
    self.hint = hint
  }
}

@Suite(.timeLimit(.minutes(1))) struct ConfigurationErrorTests {
  private static let habits =
    "rotation, rotation_kills_access_token, replay_ok, default_expires_in, expires_in_unit, min_refresh_interval, "
    + "max_concurrency, token_path, error_classes, hints"
  private static let oauthKeys =
    "kind, preset, ca_file, issuer, discovery, client_id, authorization_endpoint, token_endpoint, revocation_endpoint, "
    + "device_authorization_endpoint, pushed_authorization_request_endpoint, userinfo_endpoint, jwks_uri, "
    + "registration_endpoint, scopes, password_grant, token_endpoint_auth_method, client_secret_command, client_key_id, "
    + "client_team_id, redirect_uri, redirect_ports, refresh_endpoint, token_body, token_params, refresh_params, "
    + "scope_separator, scope_on_refresh, revocation, revocation_cascades, revoke_on_relogin, authorization_params, "
    + "login_hint_param, par, device_flow, \(habits)"
  private static let presets = ConfigurationPresetTests.names.joined(separator: ", ")
  private static let names = "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ @ + -"
  private static let twice = "remove one of the two"
  private static let empty = "give it a value, or remove the line"

  static let lines = [
    Refusal(
      "[account work]\nprovder=x", "2: [account work] provder: unknown key",
      "an account has provider, scopes, allow, confirm, confirm_ttl"),
    Refusal(
      "\n[foo]", "2: [foo]: not a group of Keyrack",
      "a group is [account NAME], [provider NAME], [use PROGRAM URL] or [keyrack]"),
    Refusal("[account]", "1: [account]: a group without a name", names),
    Refusal("[account a b]", "1: [account a b]: not a name that this can have", names),
    Refusal("[provider é]", "1: [provider é]: not a name that this can have", names),
    Refusal(
      "[account a]\n[account a]", "2: [account a]: the group is already at line 1", "put its keys into one group"),
    Refusal("[account a]\nprovider=p\n\n provider =q", "4: [account a] provider: the key is already at line 2", twice),
    Refusal("a=b", "1: a: a key before the first group", "put [account NAME] or [provider NAME] above it"),
    Refusal("[account a", "1: not a whole group header", "a header is alone on its line: [account work]"),
    Refusal("[account a] # mine", "1: not a whole group header", "a header is alone on its line: [account work]"),
    Refusal(
      "[account a]\nprovider", "2: neither [group], key=value nor # comment", "put a # before it if it is a comment"),
    Refusal("[account a]\n=x", "2: neither [group], key=value nor # comment", "put a # before it if it is a comment"),
    Refusal("[account a]\n# \0", "2: a control character", "remove it"),
    Refusal("[account \u{1B}[31m]", "1: a control character", "remove it"),
    Refusal("[account a]\nprovider=a\rb", "2: a control character", "remove it"),
    Refusal("[]", "1: not a whole group header", "a header is alone on its line: [account work]"),
    Refusal("[a]b]", "1: not a whole group header", "a header is alone on its line: [account work]"),
    Refusal(
      "[account a]", "1: [account a] provider: missing", "provider=NAME, for a group [provider NAME] or a preset"),
    Refusal("[account a]\nprovider=", "2: [account a] provider: empty", empty),
    Refusal(
      "[account a]\nprovider=p", "2: [account a] provider: there is no group [provider p]",
      "write that group, or name a preset: \(presets)"),
    Refusal(
      "[account a]\nprovider[de]=p", "2: [account a] provider[de]: unknown key",
      "an account has provider, scopes, allow, confirm, confirm_ttl"),
    Refusal(
      "[account a]\nclient_secret=x", "2: [account a] client_secret: a secret",
      "secrets never go into the configuration file: remove the line"),
  ]

  /// What follows `[provider p]` on line 1.
  static let providers = [
    Refusal(
      "kind=saml", "2: [provider p] kind: \"saml\" is neither oauth nor json", "write kind=oauth or kind=json"),
    Refusal(
      "token_endpoint=https://h/t", "1: [provider p] client_id: missing",
      "client_id=..., as the provider gave it for this program"),
    Refusal("client_id=", "2: [provider p] client_id: empty", empty),
    Refusal(
      "client_id=é", "2: [provider p] client_id: holds a character that is not printable ASCII",
      "copy it from the provider"),
    Refusal(
      "client_id=a\\q", "2: [provider p] client_id: an unknown escape sequence", "write a backslash as \\\\"),
    Refusal(
      "client_id=c\ntoken_endpoint=https://h/t\npassword_grant=maybe",
      "4: [provider p] password_grant: \"maybe\" is neither true nor false", "write true or false"),
    Refusal(
      "client_secret=hunter2", "2: [provider p] client_secret: a secret",
      "secrets never go into the configuration file: remove the line, and run: keyrack provider secret p"),
    Refusal(
      "login_url=https://h/l", "2: [provider p] login_url: belongs to kind=json, this provider is kind=oauth",
      "a provider of kind=oauth has \(oauthKeys)"),
    Refusal(
      "scope=x", "2: [provider p] scope: unknown key", "a provider of kind=oauth has \(oauthKeys)"),
    Refusal(
      "kind=json\nclient_id=c", "3: [provider p] client_id: belongs to kind=oauth, this provider is kind=json",
      "a provider of kind=json has kind, preset, ca_file, login_url, refresh_url, logout_url, username_member, password_member, "
        + "access_token_member, refresh_token_member, expires_in_member, \(habits)"),
    Refusal(
      "kind=json", "1: [provider p] login_url: missing", "login_url=https://..., where the password is posted"),
    Refusal(
      "kind=json\nlogin_url=https://h/l?a=b", "3: [provider p] login_url: a query (\"?\") has no place here",
      "write the URL up to the question mark"),
    Refusal(
      "kind=json\nlogin_url=https://h/l\nusername_member=password",
      "1: [provider p] password_member: \"password\" is the name of the username's member as well",
      "give the two members different names"),
    Refusal(
      "client_id=c\ntoken_endpoint=https://h/t\nca_file=ca.pem", "4: [provider p] ca_file: not an absolute path",
      "begin it with / or ~/"),
    Refusal(
      "client_id=c\ntoken_endpoint=https://h/t\nca_file=~/ca.pem",
      "4: [provider p] ca_file: ~/ca.pem: no such file or directory", "name a PEM file that is there"),
  ]

  static let accounts = [
    Refusal(
      "provider=q", "6: [account a] provider: there is no group [provider q]",
      "write that group, use one of p, or name a preset: \(presets)"),
    Refusal(
      "provider=p\nscopes=openid mail", "7: [account a] scopes: \"openid mail\" is not a scope",
      "separate scopes by \";\", as in scopes=openid;offline_access"),
    Refusal(
      "provider=p\nscopes=openid;;mail", "7: [account a] scopes: \"\" is not a scope",
      "separate scopes by \";\", as in scopes=openid;offline_access"),
    Refusal(
      "provider=p\nscopes=a\\q", "7: [account a] scopes: an unknown escape sequence", "write a backslash as \\\\"),
  ]

  @Test(arguments: lines) func aWrongLineIsNamed(refusal: Refusal) async throws {
    try await expect(refusal, refusal.text)
  }

  @Test(arguments: providers) func aWrongProviderIsNamed(refusal: Refusal) async throws {
    try await expect(refusal, "[provider p]\n" + refusal.text)
  }

  @Test(arguments: accounts) func aWrongAccountIsNamed(refusal: Refusal) async throws {
    try await expect(
      refusal, "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n\n[account a]\n" + refusal.text)
  }

  /// Which of them are good is tested with `Endpoint`; here, that each key asks it.
  @Test(arguments: [
    "http://h/t", "https://u:p@h/t", "https://h/t#f", "ftp://h/t", "h/t", "http://127.0.0.1.example.org/t",
  ])
  func aBadEndpointIsRefusedInEveryKey(url: String) async throws {
    let oauth = "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n"
    let json = "[provider p]\nkind=json\nlogin_url=https://h/t\n"
    let more = [
      "authorization_endpoint", "revocation_endpoint", "device_authorization_endpoint",
      "pushed_authorization_request_endpoint", "userinfo_endpoint", "jwks_uri", "registration_endpoint", "issuer",
      "refresh_endpoint",
    ]
    let texts =
      more.map { ($0, oauth) } + [
        ("token_endpoint", "[provider p]\n# x\nclient_id=c\n"),
        ("login_url", "[provider p]\nkind=json\n# x\n"), ("refresh_url", json), ("logout_url", json),
      ]
    for (key, text) in texts {
      let directory = try ConfigurationDirectory()
      try directory.write("\(text)\(key)=\(url)")
      let error = try await directory.failure()
      #expect(error?.message.hasPrefix("~/.config/keyrack/keyrack.conf:4: [provider p] \(key): ") == true, "\(key)")
      #expect(error?.hint != nil)
    }
  }

  /// GLib's word for it is translated.
  @Test(arguments: [
    ("[account a]\nprovider=p\npro]vider=p\n", 3), ("[account a]\npro[vider=p", 2), ("\n[account a]\na[b c]=\n\n", 3),
    ("[account a]\nEncoding=latin1\nprovider=p", 2), ("[a]\na]=\nb]=\nc=\nd]=\n", 2),
  ])
  func aLineThatOnlyGLibRefusesIsNumbered(text: String, line: Int) async throws {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    let message = try await directory.failure()?.message
    #expect(message?.hasPrefix("~/.config/keyrack/keyrack.conf:\(line): ") == true, "\(message ?? "")")
  }

  @Test func aGroupInTwoFilesNamesBoth() async throws {
    let directory = try ConfigurationDirectory()
    try directory.write("\n[account a]\nprovider=p\n")
    try directory.write("[account a]\n", to: "keyrack.conf.d/a.conf")
    let expected = ConfigurationError(
      "~/.config/keyrack/keyrack.conf.d/a.conf:1: [account a]: "
        + "the group is already at ~/.config/keyrack/keyrack.conf:2",
      hint: "put its keys into one group of one file")
    #expect(try await directory.failure() == expected)
  }

  private func expect(_ refusal: Refusal, _ text: String) async throws {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    let expected = ConfigurationError("~/.config/keyrack/keyrack.conf:\(refusal.message)", hint: refusal.hint)
    #expect(try await directory.failure() == expected)
  }
}

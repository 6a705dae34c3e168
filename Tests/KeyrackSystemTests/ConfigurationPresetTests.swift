import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationPresetTests {
  static let names = [
    "apple", "bitbucket", "codeberg", "fastmail", "forgejo", "gitea", "github", "gitlab", "google", "microsoft",
    "microsoft-personal", "oauth", "oidc", "yahoo", "yandex",
  ]
  private static let examples = [
    "client_id": "c", "host": "git.example.org", "client_team_id": "t", "client_key_id": "k",
    "redirect_uri": "https://app.example.org/signed-in", "issuer": "https://sso.example.org",
    "authorization_endpoint": "https://sso.example.org/a", "token_endpoint": "https://sso.example.org/t",
  ]

  private func read(_ text: String) async throws -> Configuration {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    return try await directory.read()
  }

  private func failure(_ text: String) async throws -> ConfigurationError? {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    return try await directory.failure()
  }

  private func preset(_ name: String) async throws -> ProviderDescription {
    try #require(try await read("").descriptions.first { $0.name == name })
  }

  /// What has to be written beside the name of a preset.
  private func needs(_ preset: ProviderDescription) throws -> String {
    try preset.missing.map { "\($0)=\(try #require(Self.examples[$0]))\n" }.joined()
  }

  @Test func thePresetsAreThese() async throws {
    let descriptions = try await read("").descriptions
    #expect(descriptions.map(\.name) == Self.names)
    #expect(descriptions.allSatisfy { $0.origin == .preset && $0.kind == "oauth" })
  }

  @Test(arguments: names) func aPresetIsCompleteWithTheKeysThatItNeeds(name: String) async throws {
    let needs = try needs(try await preset(name))
    let configuration = try await read(
      "[provider p]\npreset=\(name)\n\(needs)\n[account a]\nprovider=\(name)\n\(needs)")
    let provider = try #require(configuration.providers["p"])
    let own = try #require(configuration.accounts["a"]?.provider)
    #expect(own.name == "\(name):a")
    #expect(own.displayName == name)
    #expect(configuration.providers[own.name] == own)
    #expect((own.kind, own.host, own.habits) == (provider.kind, provider.host, provider.habits))
    #expect(!provider.host.contains("{") && provider.host.hasSuffix(":443"))
    #expect(provider.methods.contains(.paste) && provider.methods.last == .refreshToken)
  }

  /// So that whoever wants to see or change it can write it down.
  @Test(arguments: names) func aPresetIsInTheFormOfAGroup(name: String) async throws {
    let preset = try await preset(name)
    let needs = try needs(preset)
    let keys = preset.settings.filter { !["tenant", "host"].contains($0.key) }
    var text =
      keys.map { "\($0.key)=\($0.value)\n" }.joined()
      + needs.split(separator: "\n")
      .filter { !$0.hasPrefix("host=") }.joined(separator: "\n")
    for (variable, value) in [
      ("tenant", "organizations"), ("host", name == "gitlab" ? "gitlab.com" : "git.example.org"),
    ] {
      text = text.replacing("{\(variable)}", with: value)
    }
    let written = try await read("[provider p]\n" + text).providers["p"]
    #expect(try await read("[provider p]\npreset=\(name)\n\(needs)").providers["p"] == written)
  }

  @Test(arguments: names.filter { $0 != "apple" }) func eachKeyThatItNeedsIsMissed(name: String) async throws {
    let preset = try await preset(name)
    for missing in preset.missing {
      let lines = try needs(preset).split(separator: "\n").filter { !$0.hasPrefix("\(missing)=") }
      // Of "oauth", the authorization endpoint: a provider can do without.
      if missing == "authorization_endpoint" { continue }
      let error = try await failure("[provider p]\npreset=\(name)\n" + lines.joined(separator: "\n"))
      let key = missing == "issuer" ? "token_endpoint" : missing
      #expect(error?.message.contains("[provider p] \(key): missing") == true)
    }
  }

  @Test(arguments: names) func noPresetHoldsAClientOrASecret(name: String) async throws {
    let preset = try await preset(name)
    #expect(preset.missing.contains("client_id"))
    #expect(!preset.settings.contains { ["client_id", "client_secret", "client_secret_command"].contains($0.key) })
  }

  @Test func anAccountNamesAPresetAndItsClient() async throws {
    let configuration = try await read(
      """
      [account personal]
      provider=google
      client_id=c
      scopes=https://mail.google.com/

      [account other]
      provider=google
      client_id=d
      """)
    let (personal, other) = (configuration.accounts["personal"], configuration.accounts["other"])
    #expect(personal?.scopes == ["https://mail.google.com/"])
    #expect(other?.scopes == ["openid", "email"])
    #expect(personal?.provider.audience.clientID == "c")
    #expect(other?.provider.audience.clientID == "d")
    #expect(configuration.providers.keys.sorted() == ["google:other", "google:personal"])
    let habits = try #require(personal?.provider.habits)
    #expect(habits.authorizationParameters.map(\.name) == ["access_type", "prompt"])
    #expect(habits.rotation == .none)
  }

  @Test func aGroupTakesThePlaceOfAPresetsKeys() async throws {
    let configuration = try await read(
      """
      [provider google]
      preset=google
      client_id=c
      token_endpoint=https://proxy.example.org/token
      authorization_params=access_type=offline
      scopes=openid

      [account a]
      provider=google

      [account b]
      provider=google
      scopes=
      """)
    let provider = try #require(configuration.providers["google"])
    #expect(provider.endpoints?.token == "https://proxy.example.org/token")
    #expect(provider.endpoints?.revocation == "https://oauth2.googleapis.com/revoke")
    #expect(provider.habits.authorizationParameters == [.init(name: "access_type", value: "offline")])
    #expect(configuration.accounts["a"]?.scopes == ["openid"])
    #expect(configuration.accounts["b"]?.scopes == [])
    #expect(configuration.accounts["a"]?.provider == provider)
  }

  @Test(arguments: [
    ("", "https://login.microsoftonline.com/organizations/oauth2/v2.0/token"),
    ("tenant=72f9-88bf\n", "https://login.microsoftonline.com/72f9-88bf/oauth2/v2.0/token"),
  ])
  func aTenantIsPutIntoTheEndpoints(keys: String, token: String) async throws {
    let configuration = try await read("[provider p]\npreset=microsoft\nclient_id=c\n" + keys)
    #expect(configuration.providers["p"]?.endpoints?.token == token)
    guard case .oauth(let oauth) = configuration.providers["p"]?.kind else { return }
    #expect(oauth.redirectURI == "http://localhost:{port}")
  }

  @Test func aHostIsPutIntoTheEndpoints() async throws {
    let configuration = try await read("[account a]\nprovider=gitlab\nclient_id=c\nhost=example.org/gitlab\n")
    #expect(configuration.accounts["a"]?.provider.audience.issuer == "https://example.org/gitlab")
    #expect(configuration.accounts["a"]?.provider.endpoints?.token == "https://example.org/gitlab/oauth/token")
  }

  @Test(arguments: [
    Refusal("[provider p]\npreset=gogle", "2: [provider p] preset: there is no preset gogle", "write one of \(all)"),
    Refusal(
      "[account a]\nprovider=google", "1: [account a] client_id: missing",
      "client_id=ID.apps.googleusercontent.com, as the preset google needs it"),
    Refusal(
      "[account a]\nprovider=google\nclient_id=c\nclient_secret=x", "4: [account a] client_secret: a secret",
      "secrets never go into the configuration file: remove the line, and run: keyrack provider secret google:a"),
    Refusal(
      "[provider p]\npreset=gitea\nclient_id=c\nhost=a?b", "4: [provider p] host: \"a?b\" has no place in a URL",
      "write it plainly, as in host=sso.example.org"),
    Refusal(
      "[provider p]\npreset=github\nclient_id=c\ntoken_endpoint_auth_method=none",
      "1: [provider p] revocation: \"github\" needs the client's secret",
      "write token_endpoint_auth_method=client_secret_post, or revocation=none"),
  ])
  func whatDoesNotFitAPresetIsNamed(refusal: Refusal) async throws {
    let expected = ConfigurationError("~/.config/keyrack/keyrack.conf:\(refusal.message)", hint: refusal.hint)
    #expect(try await failure(refusal.text) == expected)
  }

  private static let all = names.joined(separator: ", ")

  @Test(arguments: ["tenant=x", "preset=google", "host=x", "login_url=https://h/l"])
  func anAccountHasNoOtherKeysThanItsPreset(line: String) async throws {
    let error = try await failure("[account a]\nprovider=google\nclient_id=c\n\(line)")
    #expect(error?.message.hasPrefix("~/.config/keyrack/keyrack.conf:4: [account a] ") == true)
  }

  @Test func anAccountOfAConfiguredProviderHasNoKeysOfOne() async throws {
    let error = try await failure(
      "[provider google]\npreset=google\nclient_id=c\n[account a]\nprovider=google\nclient_id=d")
    #expect(error?.message.hasSuffix(":6: [account a] client_id: unknown key") == true)
  }
}

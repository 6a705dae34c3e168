import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProviderDescriptionTests {
  private func descriptions(_ text: String) async throws -> [ProviderDescription] {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    return try await directory.read().descriptions
  }

  private func configured(_ text: String) async throws -> ProviderDescription {
    try #require(try await descriptions(text).first { $0.origin == .configuration })
  }

  @Test func aConfiguredProviderIsDescribedByItsGroup() async throws {
    let text = "[provider corp]\nclient_id=c\\\\d\nissuer=https://h\nclient_secret_command=pass show c"
    let expected = ProviderDescription(
      name: "corp", origin: .configuration, kind: "oauth", issuer: "https://h",
      methods: [.browser, .device, .paste, .refreshToken],
      settings: [
        Setting(key: "client_id", value: "c\\\\d"), Setting(key: "issuer", value: "https://h"),
        Setting(key: "client_secret_command", value: "pass show c"),
      ], missing: [])
    #expect(try await configured(text) == expected)
  }

  @Test func anAccountWithAPresetIsDescribedAsTheGroupThatWouldSayTheSame() async throws {
    let description = try await configured("[account a]\nprovider=gitlab\nhost=h\nclient_id=c\nscopes=x")
    #expect(description.name == "gitlab:a")
    #expect(description.issuer == "https://h")
    #expect(
      description.settings == [
        Setting(key: "preset", value: "gitlab"), Setting(key: "host", value: "h"),
        Setting(key: "client_id", value: "c"),
      ])
  }

  @Test func aPresetAndAGroupOfOneNameAreBothThere() async throws {
    let both = try await descriptions("[provider google]\npreset=google\nclient_id=c").filter { $0.name == "google" }
    #expect(both.map(\.origin) == [.preset, .configuration])
    #expect(both.first?.missing == ["client_id"])
    #expect(both.first?.issuer == "https://accounts.google.com")
  }

  @Test(
    arguments: [
      ("gitea", nil, ["client_id", "host"]), ("gitlab", nil, ["client_id"]), ("oidc", nil, ["client_id", "issuer"]),
      (
        "apple", "https://appleid.apple.com", ["client_id", "client_team_id", "client_key_id", "redirect_uri"]
      ),
    ] as [(String, String?, [String])])
  func whatAPresetLacksIsTold(name: String, issuer: String?, missing: [String]) async throws {
    let preset = try await descriptions("").first { $0.name == name }
    #expect(preset?.missing == missing)
    #expect(preset?.issuer == (name == "gitlab" ? "https://gitlab.com" : issuer))
  }

  @Test(
    arguments: [
      ("token_endpoint=https://h/t", [.refreshToken]),
      ("token_endpoint=https://h/t\npassword_grant=true", [.password, .refreshToken]),
      (
        "token_endpoint=https://h/t\npassword_grant=true\nauthorization_endpoint=https://h/a",
        [.browser, .paste, .password, .refreshToken]
      ),
      (
        "token_endpoint=https://h/t\nauthorization_endpoint=https://h/a\nredirect_uri=https://h/back",
        [.paste, .refreshToken]
      ),
      ("token_endpoint=https://h/t\ndevice_authorization_endpoint=https://h/d", [.device, .refreshToken]),
      ("token_endpoint=https://h/t\ndevice_authorization_endpoint=https://h/d\ndevice_flow=false", [.refreshToken]),
      ("issuer=https://h\ndevice_flow=false", [.browser, .paste, .refreshToken]),
    ] as [(String, [LoginOperation.Method])])
  func theMethodsAreInTheOrderOfTheirUse(keys: String, methods: [LoginOperation.Method]) async throws {
    #expect(try await configured("[provider p]\nclient_id=c\n" + keys).methods == methods)
  }

  @Test(
    arguments: [("", [.password]), ("refresh_url=https://h/r", [.password, .refreshToken])]
      as [(String, [LoginOperation.Method])])
  func aJSONLoginTakesAPassword(keys: String, methods: [LoginOperation.Method]) async throws {
    let description = try await configured("[provider p]\nkind=json\nlogin_url=https://h/l\n" + keys)
    #expect(description.methods == methods)
    #expect(description.kind == "json")
    #expect(description.issuer == nil)
  }
}

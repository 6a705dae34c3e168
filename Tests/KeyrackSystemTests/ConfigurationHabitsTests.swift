import KeyrackCore
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationHabitsTests {
  private static let oauth = "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\nrevocation_endpoint=https://h/r\n"
  private static let json = "[provider p]\nkind=json\nlogin_url=https://h/l\n# x\n"

  private func provider(_ text: String) async throws -> Provider {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    return try #require(try await directory.read().providers["p"])
  }

  private func failure(_ text: String) async throws -> ConfigurationError? {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    return try await directory.failure()
  }

  @Test func withoutAKeyTheDefaultsAreThoseThatLoseNoSession() async throws {
    for text in [Self.oauth, Self.json] { #expect(try await provider(text).habits == ProviderHabits()) }
    let habits = ProviderHabits()
    #expect(habits.rotation == .rotate)
    #expect(!habits.isReplayHarmless)
    #expect(habits.defaultLifetime == .seconds(600))
    #expect(habits.revocationCascades)
    #expect(habits.maximumConcurrency == 4)
  }

  @Test func theHabitsOfEveryKindAreRead() async throws {
    let keys = """
      rotation=grace:30
      rotation_kills_access_token=true
      replay_ok=true
      default_expires_in=3600
      expires_in_unit=milliseconds
      min_refresh_interval=86400
      max_concurrency=16
      token_path=data.tokens
      error_classes=gone=revoked;mfa=policy;app=client;busy=transient;odd=request
      hints=gone=ask the help desk\\; it is open;AADSTS50076 = use a key
      """
    var expected = ProviderHabits()
    expected.rotation = .grace(.seconds(30))
    expected.rotationKillsAccessToken = true
    expected.isReplayHarmless = true
    expected.defaultLifetime = .seconds(3600)
    expected.expiresInUnit = .milliseconds(1)
    expected.minimumRefreshInterval = .seconds(86400)
    expected.maximumConcurrency = 16
    expected.tokenPath = ["data", "tokens"]
    expected.errorClasses = ["gone": .revoked, "mfa": .policy, "app": .client, "busy": .transient, "odd": .request]
    expected.hints = ["gone": "ask the help desk; it is open", "AADSTS50076": "use a key"]
    for text in [Self.oauth, Self.json] { #expect(try await provider(text + keys).habits == expected) }
  }

  @Test func theHabitsOfOAuthAreRead() async throws {
    let keys = """
      token_endpoint_auth_method=none
      rotation=none
      refresh_endpoint=https://other/refresh?a=b
      token_body=json
      token_params=audience=api.example.org;duration=permanent
      refresh_params=redirect_uri=http://127.0.0.1/cb?a=b
      scope_separator=,
      scope_on_refresh=true
      revocation=none
      revocation_cascades=false
      """
    var expected = ProviderHabits()
    expected.rotation = .none
    expected.refreshEndpoint = "https://other/refresh?a=b"
    expected.tokenBody = .json
    expected.tokenParameters = [
      .init(name: "audience", value: "api.example.org"), .init(name: "duration", value: "permanent"),
    ]
    expected.refreshParameters = [.init(name: "redirect_uri", value: "http://127.0.0.1/cb?a=b")]
    expected.scopeSeparator = ","
    expected.sendsScopeOnRefresh = true
    expected.revocation = .none
    expected.revocationCascades = false
    let provider = try await provider(Self.oauth + keys)
    #expect(provider.habits == expected)
    #expect(provider.host == "other:443")
    #expect(!provider.supportsRevocation)
  }

  /// Else a change of the configuration would send the refresh token of a session to another place.
  @Test func anotherRefreshEndpointIsAnotherAudience() async throws {
    let plain = try await provider(Self.oauth).audience
    let other = try await provider(Self.oauth + "refresh_endpoint=https://other/refresh").audience
    #expect(plain != other)
    #expect(plain == Audience(issuer: nil, endpoint: "https://h/t", clientID: "c"))
  }

  /// What follows four lines of a provider, and how it is refused.
  static let refusals = [
    Refusal(
      "rotation=sometimes", "rotation: \"sometimes\" is not one of none, rotate, grace:SECONDS",
      "write what becomes of a refresh token that was used, as in rotation=grace:30"),
    Refusal(
      "rotation=grace:0", "rotation: \"grace:0\" is not one of none, rotate, grace:SECONDS",
      "write what becomes of a refresh token that was used, as in rotation=grace:30"),
    Refusal(
      "default_expires_in=0", "default_expires_in: \"0\" is not a whole number from 1 to 31536000",
      "write digits only, as in default_expires_in=60"),
    Refusal(
      "min_refresh_interval=1d", "min_refresh_interval: \"1d\" is not a whole number from 0 to 31536000",
      "write digits only, as in min_refresh_interval=60"),
    Refusal(
      "max_concurrency=17", "max_concurrency: \"17\" is not a whole number from 1 to 16",
      "write digits only, as in max_concurrency=16"),
    Refusal(
      "expires_in_unit=minutes", "expires_in_unit: \"minutes\" is not one of seconds, milliseconds",
      "write expires_in_unit=seconds or expires_in_unit=milliseconds"),
    Refusal(
      "token_body=xml", "token_body: \"xml\" is not one of form, json", "write token_body=form or token_body=json"),
    Refusal(
      "token_path=data..tokens", "token_path: \"data..tokens\" is not 1 to 8 names with a dot between them",
      "name the members that lead to the object with the tokens, as in token_path=data.tokens"),
    Refusal(
      "error_classes=gone=dead", "error_classes: \"dead\" is not one of revoked, policy, client, transient, request",
      "write code=class, as in error_classes=token_gone=revoked;busy=transient"),
    Refusal(
      "error_classes=gone", "error_classes: \"gone\" is not name=value",
      "separate items by \";\", as in error_classes=token_gone=revoked"),
    Refusal("hints=a=x;a=y", "hints: \"a\" is there twice", "remove one of the two"),
    Refusal(
      "hints=a=x\\ny", "hints: the text for \"a\" is not one line of at most 200 characters", "shorten it"),
    Refusal(
      "token_params=audience", "token_params: \"audience\" is not name=value",
      "separate items by \";\", as in token_params=audience=api.example.org"),
    Refusal(
      "token_params=a b=c", "token_params: \"a b=c\" is not name=value",
      "separate items by \";\", as in token_params=audience=api.example.org"),
    Refusal(
      "token_params=a:b=c", "token_params: \"a:b\" is not the name of a parameter",
      "a name has the characters A-Z a-z 0-9 . _ -"),
    Refusal(
      "refresh_params=a=b%20c", "refresh_params: the value of \"a\" is not printable ASCII without \"%\"",
      "write it plainly: it is encoded when it is sent"),
    Refusal(
      "scope_separator=and", "scope_separator: \"and\" is not one of , + ; | : / &",
      "write the character, or remove the line for a space"),
    Refusal(
      "revocation=github", "revocation: \"github\" needs the client's secret",
      "write token_endpoint_auth_method=client_secret_post, or revocation=none"),
    Refusal(
      "revocation=maybe", "revocation: \"maybe\" is not one of endpoint, github, none",
      "write revocation=endpoint or revocation=github or revocation=none"),
  ]

  @Test(arguments: refusals) func aWrongHabitIsNamed(refusal: Refusal) async throws {
    let message = "~/.config/keyrack/keyrack.conf:5: [provider p] \(refusal.message)"
    #expect(try await failure(Self.oauth + refusal.text) == ConfigurationError(message, hint: refusal.hint))
  }

  @Test(arguments: ["token_params", "refresh_params"]) func noParameterReplacesOneOfTheStandards(key: String)
    async throws
  {
    for name in ["grant_type", "client_id", "username", "scope", "resource"] {
      let error = try await failure("\(Self.oauth)\(key)=a=b;\(name)=x")
      #expect(error?.message.hasSuffix("\(key): \"\(name)\" is a parameter that Keyrack sends itself") == true)
    }
    for name in ["client_secret", "password", "refresh_token", "client_assertion", "code"] {
      let error = try await failure("\(Self.oauth)\(key)=a=b;\(name)=hunter2")
      #expect(error?.message.hasSuffix("\(key): \"\(name)\" is a secret") == true)
      #expect(error?.hint?.hasPrefix("secrets never go into the configuration file: remove it") == true)
    }
  }

  @Test func aRevocationNeedsAnEndpoint() async throws {
    let error = try await failure("[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\nrevocation=endpoint")
    #expect(error?.message.hasSuffix(":4: [provider p] revocation: there is no revocation_endpoint") == true)
  }

  @Test(arguments: ["refresh_endpoint", "token_body", "token_params", "scope_on_refresh", "revocation"])
  func whatIsOfOAuthIsRefusedInAJSONLogin(key: String) async throws {
    let error = try await failure("\(Self.json)\(key)=x")
    #expect(error?.message.hasSuffix("\(key): belongs to kind=oauth, this provider is kind=json") == true)
  }
}

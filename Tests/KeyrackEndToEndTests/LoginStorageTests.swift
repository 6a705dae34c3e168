import FoundationEssentials
import KeyrackProtocol
import TestSupport
import Testing

/// What of a sign-in is kept, and for how long it serves.
@Suite(.timeLimit(.minutes(2))) struct LoginStorageTests {
  @Test(arguments: ProviderKind.allCases)
  func onlyTheRefreshTokenIsStored(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.signIn()
    let items = try await fixture.session.items()
    #expect(items.map(\.attributes) == [["app": "keyrack", "kind": "session", "account": "work"]])
    let secret = try #require(items.first?.secret)
    #expect(secret.contains(try #require(try await fixture.liveRefreshTokens().first)))
    #expect(!secret.contains(try await fixture.token()))
    #expect(!secret.contains(KeyrackFixture.password))
  }

  @Test func aSessionNotRememberedRemovesWhatWasStored() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    #expect(try await fixture.session.items().count == 1)
    let login = try await fixture.signIn(remember: false)
    #expect(!login.remembered)
    #expect(login.warnings.isEmpty)
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.status(of: "work").remembered == false)
    _ = try await fixture.token()
    try await fixture.daemon.restart()
    #expect(try await fixture.daemon.failure(TokenOperation(account: "work")).reason == "signed_out")
  }

  @Test(arguments: ProviderKind.allCases)
  func aStoredSessionBeginsWithARefresh(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture(accessLifetime: 1)
    try await fixture.signIn()
    try await fixture.daemon.stop()
    try await waitForTheEndOfAccessTokens(fixture)
    try await fixture.provider.set(.init(accessLifetime: 3600))
    let before = try #require(try await fixture.provider.log().last { $0.path != "/api" }).number
    try await fixture.daemon.start()
    #expect(try await fixture.provider.accepts(accessToken: try await fixture.token()))
    let refreshes = try await fixture.provider.log(after: before).filter { $0.path != "/api" }
    #expect(refreshes.map(\.path) == [kind == .oauth ? "/token" : "/refresh"])
  }

  @Test func anExpiredTokenWithoutARefreshTokenIsNotHandedOut() async throws {
    let fixture = try await KeyrackFixture(accessLifetime: 1)
    try await fixture.provider.set(.init(givesRefreshTokens: false))
    try await fixture.signIn()
    try await fixture.daemon.restart()
    try await waitForTheEndOfAccessTokens(fixture)
    let error = try await fixture.daemon.failure(TokenOperation(account: "work"))
    #expect(error.code == .loginRequired)
    #expect(error.reason == "no_refresh_token")
  }

  private func waitForTheEndOfAccessTokens(_ fixture: KeyrackFixture) async throws {
    try await eventually("the end of the access token") {
      try await fixture.provider.tokens().allSatisfy { $0.kind != .access }
    }
  }

  @Test func aTokenWithoutAnEndIsKeptUntilTheLogout() async throws {
    let fixture = try await ProviderKind.json.fixture()
    try await fixture.provider.script("/login", body: #"{"token":"tok-of-no-end-1234"}"#)
    try await fixture.provider.script("/logout", status: 204)
    try await fixture.signIn()
    try await fixture.daemon.restart()
    let reply = try await fixture.daemon.call(TokenOperation(account: "work"))
    #expect(text(reply.token) == "tok-of-no-end-1234")
    #expect(reply.expiresAt == nil)
    #expect(reply.minimumValidityMet)
    #expect(try await fixture.status(of: "work").state == .active)
    let logout = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    #expect(logout == .init(account: "work", local: .done, remote: .done))
    let request = try #require(try await fixture.provider.log().last)
    #expect([request.method, request.path, request.query, request.body] == ["POST", "/logout", "", ""])
    #expect(request.headers["authorization"] == "Bearer tok-of-no-end-1234")
    #expect(try await fixture.session.items().isEmpty)
  }

  // MARK: Refresh tokens from elsewhere

  private struct Tokens: Decodable {
    let refreshToken: String
  }

  /// A refresh token that the provider gave to somebody else.
  private func refreshToken(_ provider: SampleProvider) async throws -> String {
    let answer = try await provider.postForm(
      "/token",
      [
        "grant_type": "password", "client_id": "keyrack-test", "username": "alice",
        "password": KeyrackFixture.password,
      ])
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Tokens.self, from: Data(answer.body.utf8)).refreshToken
  }

  @Test func aRefreshTokenFromElsewhereBeginsASession() async throws {
    let fixture = try await KeyrackFixture()
    let imported = try await refreshToken(fixture.provider)
    let login = LoginOperation(account: "work", method: .refreshToken, refreshToken: Secret(imported))
    #expect(try await fixture.daemon.call(login).remembered)
    #expect(try await fixture.provider.accepts(accessToken: try await fixture.token()))
    let secret = try #require(try await fixture.session.items().first?.secret)
    #expect(secret.contains(try #require(try await fixture.liveRefreshTokens().first)))
    #expect(!secret.contains(imported))
  }

  @Test(arguments: ProviderKind.allCases)
  func aDeadRefreshTokenIsDenied(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    let login = LoginOperation(account: "work", method: .refreshToken, refreshToken: Secret("rt-dead"))
    let error = try await fixture.daemon.failure(login)
    #expect(error.code == .loginDenied)
    #expect(error.hint?.isEmpty == false)
    #expect(try await fixture.session.items().isEmpty)
  }
}

import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SampleProviderTests {
  private struct Tokens: Decodable {
    let accessToken: String
    let refreshToken: String?
    let expiresIn: Int?

    init(_ answer: LoopbackHTTP.Answer) throws {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      self = try decoder.decode(Tokens.self, from: Data(answer.body.utf8))
    }
  }

  private func signIn(_ provider: SampleProvider, password: String = "wonder+land&1") async throws -> Tokens {
    let form = ["grant_type": "password", "client_id": "c", "username": "alice", "password": password]
    return try await Tokens(provider.postForm("/token", form))
  }

  private func refresh(_ provider: SampleProvider, _ token: String?) async throws -> LoopbackHTTP.Answer {
    let form = ["grant_type": "refresh_token", "client_id": "c", "refresh_token": token ?? ""]
    return try await provider.postForm("/token", form)
  }

  @Test func aSpentRefreshTokenEndsItsFamily() async throws {
    let provider = try SampleProvider()
    let tokens = try await signIn(provider)
    #expect(tokens.expiresIn == 3600)
    #expect(try await provider.accepts(accessToken: tokens.accessToken))
    #expect(try await refresh(provider, tokens.refreshToken).status == 200)
    #expect(try await provider.tokens().map(\.kind) == [.access, .access, .refresh])
    #expect(try await refresh(provider, tokens.refreshToken).status == 400)
    #expect(try await provider.tokens().isEmpty)
    #expect(try await provider.accepts(accessToken: tokens.accessToken) == false)
    let requests = try await provider.waitForRequests("/token", count: 3)
    #expect(requests.map(\.outcome) == [.granted, .granted, .reuse])
    #expect(requests.map(\.grantType) == ["password", "refresh_token", "refresh_token"])
    #expect(requests.map(\.family) == [1, 1, 1])
  }

  @Test func withoutRotationARefreshTokenStays() async throws {
    let provider = try SampleProvider("--no-rotation", "--access-lifetime", "0.5")
    let tokens = try await signIn(provider)
    #expect(tokens.expiresIn == 1)
    for _ in 0..<2 { #expect(try await refresh(provider, tokens.refreshToken).status == 200) }
  }

  @Test func aRevokedRefreshTokenTakesItsAccessTokensAlong() async throws {
    let provider = try SampleProvider()
    let tokens = try await signIn(provider)
    let form = ["token": tokens.refreshToken ?? "", "client_id": "c"]
    for _ in 0..<2 { #expect(try await provider.postForm("/revoke", form).status == 200) }
    #expect(try await provider.tokens().isEmpty)
    #expect(try await provider.log(after: 1).map(\.outcome) == [.revoked, .nothingToRevoke])
  }

  @Test func aJSONSessionEndsWithItsBearerToken() async throws {
    let provider = try SampleProvider()
    let credentials = ["email": "bob@example.org", "password": "p@ss+w0rd&x"]
    #expect(try await provider.postJSON("/login", ["email": "bob", "password": ""]).status == 401)
    let tokens = try await Tokens(provider.postJSON("/login", credentials))
    let body = ["refresh_token": tokens.refreshToken ?? ""]
    #expect(try await provider.postJSON("/refresh", body).status == 200)
    #expect(try await provider.postJSON("/logout", body, bearer: tokens.accessToken).status == 204)
    #expect(try await provider.tokens().isEmpty)
    #expect(try await provider.log().map(\.user) == ["bob", "bob", "bob", "bob"])
  }

  @Test func aHeldAnswerWaitsForItsRelease() async throws {
    let provider = try SampleProvider()
    try await provider.script("/token", hold: true)
    async let tokens = signIn(provider)
    let request = try #require(try await provider.waitForRequests("/token").first)
    #expect(request.form?["password"] == "wonder+land&1")
    #expect(request.isAnswered == false)
    let given = try await provider.tokens()
    try await provider.release("/token")
    #expect(try await given.map(\.token).contains(tokens.accessToken))
  }

  @Test(arguments: [
    (SampleProvider.Drop.before, SampleProvider.Outcome.scripted), (.reset, .scripted), (.after, .granted),
    (.mid, .granted),
  ])
  func aDroppedConnectionGivesNoWholeAnswer(_ drop: SampleProvider.Drop, _ outcome: SampleProvider.Outcome) async throws
  {
    let provider = try SampleProvider()
    try await provider.script("/token", drop: drop)
    await #expect(throws: LoopbackHTTP.Failure.self) { try await signIn(provider) }
    let request = try #require(try await provider.log().first)
    #expect(request.outcome == outcome)
    #expect(request.status == nil)
    _ = try await signIn(provider)
  }

  @Test func aScriptedAnswerIsForItsNumberOfRequests() async throws {
    let provider = try SampleProvider()
    try await provider.script("/token", count: 2, status: 503, headers: ["Retry-After": "2"])
    try await provider.script("/token", status: 502, afterProcessing: true)
    let statuses = [503, 503, 502, 400]
    for status in statuses { #expect(try await refresh(provider, "rt_none").status == status) }
    #expect(try await provider.log().map(\.outcome) == [.scripted, .scripted, .denied, .denied])
    try await provider.reset()
    #expect(try await provider.log().isEmpty)
  }

  @Test func inFoulWeatherSomeRefreshesFailAndNoSignIn() async throws {
    let provider = try SampleProvider()
    try await provider.setWeather(seed: 1)
    var outcomes: Set<Bool> = []
    while outcomes.count < 2 {
      _ = try await signIn(provider)
      _ = try? await refresh(provider, "rt_none")
      outcomes.insert(try await provider.log().last?.fault == nil)
    }
    try await provider.setWeather(seed: nil)
    #expect(try await refresh(provider, "rt_none").status == 400)
    #expect(try await provider.log().last?.fault == nil)
  }

  @Test func anOutageRefusesConnectionsAndForgetsNothing() async throws {
    let provider = try SampleProvider()
    let token = try await signIn(provider).accessToken
    try await provider.refuseConnections(for: .milliseconds(200))
    await #expect(throws: LoopbackHTTP.Failure.self) { try await provider.accepts(accessToken: token) }
    try await eventually("the end of the outage") { (try? await provider.accepts(accessToken: token)) == true }
  }

  @Test func theEndOfATokenIsKnown() async throws {
    let provider = try SampleProvider("--access-lifetime", "0.1")
    let first = try await signIn(provider).accessToken
    try await provider.set(.init(accessLifetime: 60))
    let second = try await signIn(provider)
    try await eventually("the end of the first") { try await provider.deadTime(ofAccessToken: first) != nil }
    #expect(try await provider.deadTime(ofAccessToken: second.accessToken) == nil)
    for _ in 0..<2 { _ = try await refresh(provider, second.refreshToken) }
    #expect(try await provider.deadTime(ofAccessToken: second.accessToken) ?? .zero < .seconds(5))
    #expect(try await provider.deadTime(ofAccessToken: second.accessToken) != nil)
    await #expect(throws: LoopbackHTTP.Failure.self) { try await provider.deadTime(ofAccessToken: "at_never") }
  }

  @Test func aStoppedProviderRefusesConnections() async throws {
    let provider = try SampleProvider()
    provider.stop()
    await #expect(throws: LoopbackHTTP.Failure.self) { try await provider.log() }
  }
}

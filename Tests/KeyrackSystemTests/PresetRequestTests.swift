import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct PresetRequestTests {
  private static let answer = KeyrackSystemTests.answer(
    200, #"{"access_token":"at","device_code":"dc","user_code":"U","verification_uri":"https://a.example/"}"#)

  private func account(_ preset: PresetRequests) async throws -> Account {
    let directory = try ConfigurationDirectory()
    try directory.write("[account x]\nprovider=\(preset.name)\nclient_id=CLIENT\n\(preset.keys)")
    return try #require(try await directory.read().accounts["x"]).completed(by: preset.found)
  }

  /// The same account at a server that is asked in place of those of the provider: `https://host/path` is `/host/path`
  /// there.
  private func account(_ account: Account, at server: ScriptedServer) throws -> Account {
    guard case .oauth(var oauth) = account.provider.kind else { return account }
    var endpoints = oauth.endpoints
    if account.provider.habits.revocation == .github {
      endpoints.revocation = "https://api.github.com/applications/CLIENT/token"
    }
    endpoints.token = endpoints.token?.replacing("https:/", with: server.url)
    endpoints.deviceAuthorization = endpoints.deviceAuthorization?.replacing("https:/", with: server.url)
    endpoints.revocation = endpoints.revocation?.replacing("https:/", with: server.url)
    oauth.endpoints = endpoints
    let provider = Provider(name: account.provider.name, kind: .oauth(oauth), habits: account.provider.habits)
    return Account(name: account.name, provider: provider, scopes: account.scopes)
  }

  private func text(_ request: ReceivedRequest) -> String {
    #expect(request.headers["accept"] == "application/json")
    #expect(request.headers["user-agent"]?.hasPrefix("keyrack") == true)
    let line = request.line.replacing(" /", with: " https://").replacing(" HTTP/1.1", with: "")
    let authorization = request.headers["authorization"].map { "Authorization: \($0)" }
    return [line, authorization, request.body].compactMap(\.self).joined(separator: "\n")
  }

  /// What is random in a request has the form of 256 bits, and a name for the table.
  private func named(_ text: String, _ request: AuthorizationRequest) -> String {
    let verifier = String(decoding: request.verifier.bytes, as: UTF8.self)
    var text = text
    for (name, value) in [
      ("STATE", request.state), ("NONCE", request.nonce), ("CHALLENGE", ProofKey.challenge(request.verifier)),
      ("VERIFIER", verifier),
    ] {
      guard let value else { continue }
      #expect(value.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
      text = text.replacing(value, with: name)
    }
    return text
  }

  @Test(arguments: PresetRequests.all) func aPresetSendsThis(preset: PresetRequests) async throws {
    let server = ScriptedServer(answers: [Self.answer])
    let client = ProviderClient(
      http: try HTTPClient(), secrets: FixedSecret(secret: "SECRET"), signer: SpokenSigner())
    let original = try await account(preset)
    let account = try account(original, at: server)
    let wish = AuthorizationWish(redirectURI: try RedirectURI(of: original.provider).text(port: 8400))
    let request = try await client.authorize(wish, account: account).get()
    #expect(named(request.url, request) == preset.authorization)
    #expect(server.connections == 0)

    _ = await client.exchange(Secret("CODE"), of: request, account: account)
    _ = await client.refresh(Secret("REFRESH"), for: .standard, account: account)
    var sent = server.requests.map { named(text($0), request) }
    #expect(sent == [preset.exchange, preset.refresh])

    _ = await client.beginDevice(account)
    sent = server.requests.dropFirst(sent.count).map(text)
    #expect(sent == [preset.device].compactMap(\.self))

    let before = server.requests.count
    let revocation = Revocation(
      session: SessionID(), account: account.name, provider: account.provider.name, audience: account.provider.audience,
      refreshToken: Secret("REFRESH"), accessToken: Secret("ACCESS"), since: 0)
    _ = await client.revoke(revocation, provider: account.provider)
    #expect(server.requests.dropFirst(before).map(text) == [preset.revocation].compactMap(\.self))
  }

  @Test func everyPresetIsThere() {
    #expect(PresetRequests.all.map(\.name).sorted() == ConfigurationPresetTests.names)
  }
}

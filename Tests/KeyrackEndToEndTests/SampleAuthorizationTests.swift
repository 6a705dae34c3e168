import TestSupport
import Testing

/// The sample provider is strict where a client must not be wrong.
@Suite(.timeLimit(.minutes(1))) struct SampleAuthorizationTests {
  private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  /// Of RFC 7636, appendix B.
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  private static let redirect = "http://127.0.0.1:9/callback"

  private func authorize(
    _ provider: SampleProvider, _ changes: [String: String] = [:]
  ) async throws -> LoopbackHTTP.Answer {
    let parameters = [
      "response_type": "code", "client_id": "c", "redirect_uri": Self.redirect, "scope": "openid", "state": "s",
      "code_challenge": Self.challenge, "code_challenge_method": "S256",
    ].merging(changes) { $1 }
    let query = parameters.map { "\($0)=\(LoopbackHTTP.escape($1))" }.joined(separator: "&")
    return try await LoopbackHTTP.send("GET", "/authorize?\(query)", port: provider.port)
  }

  private func exchange(_ code: String, _ changes: [String: String] = [:]) -> [String: String] {
    [
      "grant_type": "authorization_code", "client_id": "c", "code": code, "redirect_uri": Self.redirect,
      "code_verifier": Self.verifier,
    ].merging(changes) { $1 }
  }

  private func code(_ provider: SampleProvider) async throws -> String {
    let answer = try await authorize(provider)
    let callback = try Callback(#require(answer.headers["location"]))
    #expect(callback["state"] == "s")
    #expect(callback["iss"] == provider.url(""))
    return try #require(callback["code"])
  }

  @Test(arguments: ["response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"])
  func aRequestThatLacksSomethingGoesNowhere(_ name: String) async throws {
    let provider = try SampleProvider()
    let answer = try await authorize(provider, [name: ""])
    #expect(answer.status == 400)
    #expect(answer.headers["location"] == nil)
  }

  @Test(arguments: [
    ["redirect_uri": "http://127.0.0.1:9/callback/"], ["code_verifier": "wrong-wrong-wrong-wrong-wrong-wrong-wrong-1"],
    ["client_id": "other"],
  ])
  func aCodeIsForWhoAskedForIt(_ changes: [String: String]) async throws {
    let provider = try SampleProvider()
    let refused = try await provider.postForm("/token", exchange(code(provider), changes))
    #expect(refused.status == 400)
    #expect(try await provider.tokens().isEmpty)
  }

  @Test func aCodeThatComesBackEndsItsTokens() async throws {
    let provider = try SampleProvider()
    let code = try await code(provider)
    #expect(try await provider.postForm("/token", exchange(code)).status == 200)
    #expect(try await provider.tokens().count == 2)
    #expect(try await provider.postForm("/token", exchange(code)).status == 400)
    #expect(try await provider.tokens().isEmpty)
    #expect(try await provider.log().last?.outcome == .reuse)
  }

  @Test func anUnknownScopeIsRefusedAtTheRedirect() async throws {
    let provider = try SampleProvider()
    let answer = try await authorize(provider, ["scope": "openid everything"])
    #expect(try Callback(#require(answer.headers["location"]))["error"] == "invalid_scope")
  }
}

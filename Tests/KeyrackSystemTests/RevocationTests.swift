import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// RFC 7009 over the wire.
@Suite(.timeLimit(.minutes(1))) struct RevocationTests {
  private func provider(
    _ server: ScriptedServer, endpoint: Bool = true, _ change: (inout ProviderHabits) -> Void = { _ in }
  ) -> Provider {
    var habits = ProviderHabits()
    change(&habits)
    let oauth = Provider.OAuth(
      clientID: "key rack", tokenEndpoint: server.url + "/token",
      revocationEndpoint: endpoint ? server.url + "/revoke" : nil)
    return Provider(name: "corp", kind: .oauth(oauth), habits: habits)
  }

  private func revoke(
    _ provider: Provider, refreshToken: String? = "r/t", accessToken: String? = "at"
  ) async throws -> RevocationOutcome {
    let revocation = Revocation(
      session: SessionID(), account: "work", provider: provider.name, audience: provider.audience,
      refreshToken: refreshToken.map { Secret($0) }, accessToken: accessToken.map { Secret($0) }, since: 0)
    return try await ProviderClient(http: HTTPClient()).revoke(revocation, provider: provider)
  }

  private static let refresh = "token=r%2Ft&token_type_hint=refresh_token&client_id=key%20rack"
  private static let access = "token=at&token_type_hint=access_token&client_id=key%20rack"

  @Test(
    arguments: [
      (true, "r/t", "at", [refresh]), (true, "r/t", nil, [refresh]), (true, nil, "at", [access]),
      (false, "r/t", "at", [refresh, access]), (false, "r/t", nil, [refresh]), (false, nil, "at", [access]),
      (false, nil, nil, []),
    ] as [(Bool, String?, String?, [String])])
  func whatOutlivesTheRefreshTokenIsRevokedAsWell(
    cascades: Bool, refreshToken: String?, accessToken: String?, bodies: [String]
  ) async throws {
    let server = ScriptedServer(answers: [answer(200)])
    let provider = provider(server) { $0.revocationCascades = cascades }
    #expect(try await revoke(provider, refreshToken: refreshToken, accessToken: accessToken) == .done)
    #expect(server.requests.map(\.body) == bodies)
    #expect(server.requests.allSatisfy { $0.line == "POST /revoke HTTP/1.1" })
  }

  @Test func aRevocationThatFailsIsNotFollowedByAnother() async throws {
    let server = ScriptedServer(answers: [answer(503, headers: ["Retry-After: 9"]), answer(200)])
    let outcome = try await revoke(provider(server) { $0.revocationCascades = false })
    #expect(outcome == .failed("127.0.0.1:\(server.port) answered HTTP 503", retryAfter: .seconds(9)))
    #expect(server.requests.count == 1)
  }

  @Test func whereNothingCanBeRevokedThatIsSaid() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    for provider in [provider(server, endpoint: false), provider(server) { $0.revocation = .none }] {
      #expect(!provider.supportsRevocation)
      #expect(try await revoke(provider) == .unsupported)
    }
    #expect(server.connections == 0)
  }

  @Test func aRevocationIsAFormWhateverTheTokenEndpointTakes() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    #expect(try await revoke(provider(server) { $0.tokenBody = .json }) == .done)
    #expect(server.requests.map(\.body) == [Self.refresh])
  }
}

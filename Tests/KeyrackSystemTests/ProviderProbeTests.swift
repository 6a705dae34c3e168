import KeyrackCore
import Testing

@testable import KeyrackSystem

/// What `check` learns from a provider.
@Suite(.timeLimit(.minutes(1))) struct ProviderProbeTests {
  private func probe(_ provider: Provider) async throws -> ProviderFinding {
    await ProviderClient(http: try HTTPClient()).probe(provider)
  }

  private func withEndpoint(_ url: String, _ caFile: CAFile? = nil) -> Provider {
    Provider(name: "corp", kind: .oauth(.init(clientID: "id", tokenEndpoint: url)), caFile: caFile)
  }

  @Test(arguments: [(405, true), (400, true), (200, true), (500, false), (503, false), (407, false)])
  func anyAnswerWillDoThatIsTheProvidersOwn(status: Int, isWell: Bool) async throws {
    let server = ScriptedServer(answers: ["HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n"])
    let finding = try await probe(withEndpoint("\(server.url)/token?secret=x"))
    #expect(finding.date == nil)
    switch finding.outcome {
    case .success(let message):
      #expect(isWell && message == "answers at 127.0.0.1:\(server.port), on this machine without TLS")
    case .failure(let failure): #expect(!isWell && failure.class == .notSent)
    }
    let request = try #require(server.requests.first)
    #expect(request.line.hasPrefix("GET /token") && request.body.isEmpty && request.headers["authorization"] == nil)
  }

  @Test func aCertificateThatNobodyKnowsIsSaidWithTheRemedy() async throws {
    let authority = try TestAuthority()
    let certificate = try authority.certificate(for: "IP:127.0.0.1", days: 2)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let url = "https://127.0.0.1:\(server.port)/token"
    guard case .failure(.unavailable(let message, let hint)) = try await probe(withEndpoint(url)).outcome else {
      Issue.record("it was trusted")
      return
    }
    #expect(message == "the certificate of 127.0.0.1:\(server.port) is not from a known authority")
    #expect(hint?.contains("ca_file=") == true)
  }

  @Test func anExpiredCertificateIsNoTroubleOfTheNetwork() async throws {
    let authority = try TestAuthority()
    let certificate = try authority.certificate(for: "IP:127.0.0.1", days: -1)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let provider = withEndpoint("https://127.0.0.1:\(server.port)/token", CAFile(authority.caFile))
    guard case .failure(.unavailable(let message, let hint)) = try await probe(provider).outcome else {
      Issue.record("it was trusted")
      return
    }
    #expect(message == "the certificate of 127.0.0.1:\(server.port) has expired")
    #expect(hint?.hasPrefix("see whether the clock of this machine is right") == true)
  }

  @Test func withAnIssuerItsMetadataIsRead() async throws {
    let server = ScriptedServer { peer in
      while peer.readRequest() != nil {
        let body = #"{"issuer":"https://other.test","token_endpoint":"https://other.test/t"}"#
        peer.send(
          "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
    var oauth = Provider.OAuth(issuer: server.url, clientID: "id")
    oauth.discovery = .oidc
    let finding = try await probe(Provider(name: "corp", kind: .oauth(oauth)))
    guard case .failure(.rejected(let rejection)) = finding.outcome else {
      Issue.record("another issuer was taken for it")
      return
    }
    #expect(rejection.message.contains("other.test"))
    #expect(finding.date == 784_111_777)
    #expect(server.requests.map(\.line) == ["GET /.well-known/openid-configuration HTTP/1.1"])
  }

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 784_111_777), ("Sun, 06 Nov 1994 08:49:37 GMT", "100", 784_111_877),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "soon", 784_111_777), ("Sun, 06 Nov 1994 08:49:37 GMT", "-9", 784_111_777),
      ("10", nil, nil), ("", nil, nil), ("Tomorrow", nil, nil), (nil, "5", nil),
    ] as [(String?, String?, Int?)])
  func whatTimeItIsThereTakesCachesIntoAccount(date: String?, age: String?, seconds: Int?) {
    #expect(ResponseDate.seconds(date, age: age) == seconds)
  }
}

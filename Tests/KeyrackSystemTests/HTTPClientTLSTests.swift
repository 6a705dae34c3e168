import Foundation
import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTLSTests {
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  private func post(_ server: TLSServer, host: String = "127.0.0.1", caFile: CAFile?) throws -> HTTPRequest {
    HTTPRequest(
      endpoint: try Endpoint(validating: "https://\(host):\(server.port)/token"), body: Secret("a=b"),
      contentType: "text/plain", caFile: caFile, freshConnection: true)
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func aCertificateOfTheGivenAuthorityIsGood(host: String) async throws {
    let certificate = try authority.certificate(for: "DNS:localhost,IP:127.0.0.1", days: 2)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let response = try await HTTPClient().send(post(server, host: host, caFile: CAFile(authority.caFile))).get()
    #expect(response.status == 200)
  }

  @Test func anUnknownAuthorityIsNamed() async throws {
    let certificate = try authority.certificate(for: "IP:127.0.0.1", days: 2)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let result = try await HTTPClient().send(post(server, caFile: nil))
    let message = "the certificate of 127.0.0.1:\(server.port) is not from a known authority"
    #expect(result == .failure(.untrusted(message)))
  }

  @Test func anAuthorityFileThatHasChangedIsReadAgain() async throws {
    let other = try TestAuthority()
    let file = other.directory + "/trusted.pem"
    let client = try HTTPClient()
    for authority in [authority, other] {
      try String(contentsOfFile: authority.caFile, encoding: .utf8)
        .write(toFile: file, atomically: true, encoding: .utf8)
      let certificate = try authority.certificate(for: "IP:127.0.0.1", days: 2)
      let server = try TLSServer(certificate: certificate, key: authority.key)
      #expect(try await client.send(post(server, caFile: CAFile(file))).get().status == 200)
    }
  }

  @Test func anExpiredCertificateIsNamed() async throws {
    let certificate = try authority.certificate(for: "IP:127.0.0.1", days: -1)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let result = try await HTTPClient().send(post(server, caFile: CAFile(authority.caFile)))
    #expect(result == .failure(.invalidCertificate("the certificate of 127.0.0.1:\(server.port) has expired")))
  }

  @Test func aCertificateForAnotherHostIsNamed() async throws {
    let certificate = try authority.certificate(for: "DNS:other.example.org", days: 2)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let result = try await HTTPClient().send(post(server, caFile: CAFile(authority.caFile)))
    #expect(result == .failure(.invalidCertificate("the certificate of 127.0.0.1:\(server.port) is for another host")))
  }

  @Test func aMissingAuthorityFileIsNamed() async throws {
    let certificate = try authority.certificate(for: "IP:127.0.0.1", days: 2)
    let server = try TLSServer(certificate: certificate, key: authority.key)
    let result = try await HTTPClient().send(post(server, caFile: CAFile("/nowhere/ca.pem")))
    #expect(result == .failure(.notSent("could not read the certificate authorities in /nowhere/ca.pem")))
  }

  @Test func plainTextFromATLSPortSendsNothing() async throws {
    let server = ScriptedServer { peer in peer.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
    let request = HTTPRequest(
      endpoint: try Endpoint(validating: "https://127.0.0.1:\(server.port)/"), freshConnection: true)
    let result = try await HTTPClient().send(request)
    #expect(result == .failure(.notSent("the TLS handshake with 127.0.0.1:\(server.port) failed")))
  }
}

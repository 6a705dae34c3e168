import Glibc
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// One test, as the environment is the whole process's. Requests of other tests go to loopback, where no proxy is asked.
@Suite(.timeLimit(.minutes(1))) struct HTTPClientProxyTests {
  @Test func theProxyOfTheEnvironmentIsAskedButNotForLoopback() async throws {
    let proxy = ScriptedServer { peer in
      while peer.readRequest() != nil { peer.send(answer(407, "<html>")) }
    }
    let server = ScriptedServer(answers: [answer(200)])
    for name in ["http_proxy", "https_proxy", "all_proxy"] { setenv(name, proxy.url, 1) }
    setenv("no_proxy", "keyrack.invalid", 1)
    defer { for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] { unsetenv(name) } }
    let client = try HTTPClient()

    for host in ["127.0.0.1", "localhost"] {
      let near = HTTPRequest(
        endpoint: try Endpoint(validating: "http://\(host):\(server.port)/"), freshConnection: true)
      #expect(try await client.send(near).get().status == 200)
    }
    #expect(proxy.connections == 0)

    let far = HTTPRequest(endpoint: try Endpoint(validating: "https://sso.example.org/"), freshConnection: true)
    let message = "the proxy refused a connection to sso.example.org:443: HTTP 407"
    #expect(await client.send(far) == .failure(.notSent(message)))
    #expect(proxy.requests.first?.line == "CONNECT sso.example.org:443 HTTP/1.1")

    // Nobody listens there.
    setenv("https_proxy", "http://127.0.0.1:1", 1)
    let lost =
      "could not connect to sso.example.org:443, or to the proxy that the environment names: Connection refused"
    #expect(await client.send(far) == .failure(.notSent(lost)))
  }
}

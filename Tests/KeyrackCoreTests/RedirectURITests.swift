import KeyrackCore
import Testing

@Suite struct RedirectURITests {
  @Test(arguments: [
    ("http://127.0.0.1:{port}/callback/a", "http://127.0.0.1:7/callback/a", RedirectURI.Host.ipv4, "/callback/a"),
    ("http://localhost:{port}/", "http://localhost:7/", .localhost, "/"),
    ("http://localhost:{port}", "http://localhost:7", .localhost, "/"),
    ("http://[::1]:{port}/x%20y", "http://[::1]:7/x%20y", .ipv6, "/x%20y"),
    ("http://127.0.0.1:34106/", "http://127.0.0.1:34106/", .ipv4, "/"),
    ("http://localhost", "http://localhost", .localhost, "/"),
  ])
  func onlyThePortIsReplaced(text: String, full: String, host: RedirectURI.Host, path: String) throws {
    let redirect = try RedirectURI(text)
    #expect(redirect.text == text)
    #expect(redirect.text(port: 7) == full)
    guard case .loopback(let loopback) = redirect.place else { return #expect(Bool(false), "not loopback") }
    #expect(loopback.host == host)
    #expect(loopback.path == path)
  }

  @Test func thePortsAreThoseOfTheListOrOfTheText() throws {
    #expect(try ports("http://localhost:{port}/", [5, 6]) == [5, 6])
    #expect(try ports("http://localhost:{port}/", []) == [])
    #expect(try ports("http://localhost:5/", []) == [5])
    #expect(try ports("http://localhost/", []) == [80])
  }

  @Test(arguments: ["https://127.0.0.1/x", "https://sso.example.org:8443/oauth?x=y"])
  func httpsIsPasted(text: String) throws {
    #expect(try RedirectURI(text).place == .pasted)
  }

  @Test(arguments: [
    "", "urn:ietf:wg:oauth:2.0:oob", "http://example.org/", "http://127.0.0.1.example.org/", "http://127.0.0.1@evil/",
    "http://127.0.0.2/", "http://LOCALHOST:1/", "http://localhost:0/", "http://localhost:+1/",
    "http://localhost:65536/",
    "http://localhost:/", "http://localhost:01/", "http://localhost:{port}1/", "http://localhost:{ports}/",
    "http://localhost:{port}/{port}", "http://localhost:{port}/#x", "http://localhost:{port}/?x=y",
    "http://localhost:{port}/a/../b", "http://localhost:{port}/ x", "http://localhost:{port}/é", "https:///x",
    "https://127.0.0.1:{port}/", "http://{port}/", "http://localhost{port}/", "http://u:p@localhost:1/",
  ])
  func refusesWhatCouldNotWork(text: String) {
    #expect(throws: RedirectError.self) { try RedirectURI(text) }
  }

  @Test(arguments: ["http://localhost:5/", "http://localhost/", "https://127.0.0.1/"])
  func aListOfPortsNeedsAPlaceForThem(text: String) {
    #expect(throws: RedirectError.self) { try RedirectURI(text, ports: [1]) }
  }

  private func ports(_ text: String, _ ports: [UInt16]) throws -> [UInt16] {
    guard case .loopback(let loopback) = try RedirectURI(text, ports: ports).place else { return [] }
    return loopback.ports
  }
}

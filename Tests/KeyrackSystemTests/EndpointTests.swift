import Testing

@testable import KeyrackSystem

@Suite struct EndpointTests {
  @Test(arguments: [
    ("https://sso.example.org/token", "sso.example.org", 443, false),
    ("https://sso.example.org:8443", "sso.example.org", 8443, false),
    ("http://localhost:8080/x", "localhost", 8080, true),
    ("http://LOCALHOST/x", "localhost", 80, true),
    ("http://127.0.0.1:9/", "127.0.0.1", 9, true),
    ("http://127.3.2.1/", "127.3.2.1", 80, true),
    ("http://127.1/", "127.0.0.1", 80, true),
    ("http://[::1]:5000/token", "::1", 5000, true),
    ("https://[2001:db8::1]/token", "2001:db8::1", 443, false),
  ])
  func aGoodOneIsTakenApart(text: String, host: String, port: Int, isLoopback: Bool) throws {
    let endpoint = try Endpoint(validating: text)
    #expect(endpoint.host.lowercased() == host)
    #expect(endpoint.port == port)
    #expect(endpoint.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "sso.example.org/token", "http://sso.example.org/", "http://127.0.0.1.example.org/", "http://127.evil/",
    "http://localhost.example.org/", "http://128.0.0.1/", "http://[::2]/", "ftp://localhost/", "file:///etc/passwd",
    "https://me:secret@sso.example.org/", "https://me@sso.example.org/", "http://localhost@example.org/",
    "https://sso.example.org/#part", "https://", "https:// sso.example.org/", "https://sso.example.org/\u{0}",
    "https://sso.example.org/\r\nHost: evil", "javascript:alert(1)", "http://[::1/", "https://sso.example.org:99999/",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(throws: EndpointError.self) { try Endpoint(validating: text) }
  }

  @Test func theErrorDoesNotRepeatAPassword() {
    let error = #expect(throws: EndpointError.self) { try Endpoint(validating: "https://me:hunter2@sso.example.org/") }
    #expect(error?.message.contains("hunter2") == false)
  }

  @Test func aQueryIsReported() throws {
    #expect(try Endpoint(validating: "https://sso.example.org/token?a=b").hasQuery)
    #expect(try !Endpoint(validating: "https://sso.example.org/token").hasQuery)
  }

  @Test func theNameOfAnIPv6AddressHasBrackets() throws {
    #expect(try Endpoint(validating: "http://[::1]:5000/").name == "[::1]:5000")
  }

  @Test(
    arguments: [
      ("https://evil.example/token", "evil.example:443"), ("http://portal.example/login?x", "portal.example:80"),
      ("/login", "sso.example.org:8443"), ("//other.example/", "other.example:443"),
      ("https://me:pw@evil.example/", "evil.example:443"), ("app://done", "done"), ("https://", nil), ("\u{0}", nil),
    ] as [(String, String?)])
  func theTargetOfARedirectIsNamed(location: String, name: String?) throws {
    #expect(try Endpoint(validating: "https://sso.example.org:8443/token").target(ofRedirect: location) == name)
  }
}

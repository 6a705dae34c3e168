import KeyrackProtocol
import TestSupport
import Testing

/// What else than the provider's answer comes to the listener while a sign-in waits.
@Suite(.timeLimit(.minutes(2))) struct HostileCallbackTests {
  struct Noise: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    /// Of the request that would be right.
    let request: @Sendable (Callback) -> String

    init(_ name: String, _ status: Int, _ request: @escaping @Sendable (Callback) -> String) {
      (testDescription, self.status, self.request) = (name, status, request)
    }

    static func head(_ method: String, _ target: String, _ callback: Callback, _ more: String = "") -> String {
      "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(callback.port)\r\n\(more)\r\n"
    }
  }

  static let noise: [Noise] = [
    Noise("a state of nobody", 400) { .head("GET", $0.with("state", "x").target, $0) },
    Noise("no state", 400) { .head("GET", "\($0.path)?code=x", $0) },
    Noise("two codes", 400) { .head("GET", "\($0.target)&code=x", $0) },
    Noise("two states", 400) { .head("GET", "\($0.target)&state=x", $0) },
    Noise("nothing", 200) { .head("GET", $0.path, $0) },
    Noise("an icon", 404) { .head("GET", "/favicon.ico", $0) },
    Noise("another path", 404) { .head("GET", "/callback/other?\($0.query)", $0) },
    Noise("a prefetch", 200) { .head("HEAD", $0.target, $0) },
    Noise("JSON", 415) {
      .head("POST", $0.target, $0, "Content-Type: application/json\r\nContent-Length: 2\r\n") + "{}"
    },
    Noise("another method", 405) { .head("PUT", $0.target, $0, "Content-Length: 0\r\n") },
    Noise("another host", 421) { "GET \($0.target) HTTP/1.1\r\nHost: evil.example:\($0.port)\r\n\r\n" },
    Noise("a host by name", 421) { "GET \($0.target) HTTP/1.1\r\nHost: localhost:\($0.port)\r\n\r\n" },
    Noise("two hosts", 400) { .head("GET", $0.target, $0, "Host: 127.0.0.1:\($0.port)\r\n") },
    Noise("a proxy's form", 400) { .head("GET", $0.address, $0) },
    Noise("a huge head", 431) { .head("GET", $0.target, $0, "X: \(String(repeating: "x", count: 20 << 10))\r\n") },
  ]

  @Test func noiseIsAnsweredAndConsumesNothing() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    for noise in Self.noise {
      let answer = try await LoopbackHTTP.send(noise.request(callback), port: callback.port)
      #expect(answer.status == noise.status, "\(noise.testDescription)")
      #expect(!answer.body.contains("worked"))
    }
    #expect(try await fixture.paths() == ["/authorize"])
    #expect(try await fixture.status(of: "work").pendingLogin?.url == (try login.url))
    #expect(try await callback.deliver().body.contains("The sign-in worked."))
    #expect(try await login.outcome().get().subject == "alice")
    #expect(try await fixture.requests("/token").count == 1)
  }

  @Test func aSecondDeliveryIsNotSpent() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.script("/token", hold: true)
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    async let first = callback.deliver()
    try await fixture.provider.waitForRequests("/token")
    let second = try await callback.deliver()
    #expect(second.status == 400)
    #expect(second.body.contains("This answer came before"))
    try await fixture.provider.release("/token")
    #expect(try await first.body.contains("The sign-in worked."))
    #expect(try await login.outcome().get().subject == "alice")
    #expect(try await fixture.requests("/token").count == 1)
  }

  @Test func anAnswerThatCameBeforeIsOfNoUseToTheNextSignIn() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let old = try await OpenSignIn(fixture).callback()
    #expect(try await fixture.daemon.call(CancelOperation(account: "work")).canceled)
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    let late = try await LoopbackHTTP.send(Noise.head("GET", old.target, callback), port: callback.port)
    #expect(late.status == 400)
    try await callback.deliver()
    #expect(try await login.outcome().get().subject == "alice")
    #expect(try await fixture.requests("/token").map { $0.form?["code"] } == [callback["code"]])
  }

  /// Pages must not leak the code, and show what a provider says as text.
  @Test func noPageRunsOrLoadsOrTellsAnything() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    let page = try await callback.deliver()
    #expect(page.headers["referrer-policy"] == "no-referrer")
    #expect(page.headers["cache-control"] == "no-store")
    #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(!page.body.contains(try #require(callback["code"])))
    _ = try await login.outcome()
    #expect(!fixture.daemon.said.contains(try #require(callback["code"])))
    #expect(!fixture.daemon.said.contains(try #require(callback["state"])))
  }
}

extension String {
  fileprivate static func head(_ method: String, _ target: String, _ callback: Callback, _ more: String = "") -> String
  {
    HostileCallbackTests.Noise.head(method, target, callback, more)
  }
}

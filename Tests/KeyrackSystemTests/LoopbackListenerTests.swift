import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoopbackListenerTests {
  @Test func aCodeReachesTheReceiverAndAPageTheBrowser() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open()
    let answer = try await fixture.get(port, "/callback?code=4%2Fa+b&state=s&iss=https%3A%2F%2Fi&session_state=x")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.contains("You can close this window."))
    for header in [
      "Connection: close", "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "Content-Security-Policy: default-src 'none';",
    ] { #expect(answer.contains("\r\n\(header)"), "\(header)") }
    let response = try #require(fixture.received.first)
    #expect(response.code == Secret("4/a b"))
    #expect(response.state == "s")
    #expect(response.issuer == "https://i")
    #expect(fixture.redirectURIs == ["http://127.0.0.1:\(port)/callback"])
  }

  @Test(arguments: CallbackCase.all)
  func noiseConsumesNothing(noise: CallbackCase) async throws {
    var limits = CallbackLimits()
    limits.connection = .seconds(2)
    let fixture = try await CallbackFixture(limits: limits)
    let port = try await fixture.open()
    let answer = try await fixture.exchange(port, noise.text(port))
    if let status = noise.status { #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))") }
    #expect(fixture.received.isEmpty)
    #expect(try await fixture.get(port, "/callback?code=c&state=s").hasPrefix("HTTP/1.1 200 "))
    #expect(fixture.received.count == 1)
  }

  @Test func aFormIsAnAnswerToo() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open()
    let answer = try await fixture.exchange(
      port, CallbackCase.post(port, "code=c+d&state=%C3%A9", type: "Application/X-WWW-Form-Urlencoded; charset=UTF-8"))
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(fixture.received.first?.code == Secret("c d"))
    #expect(fixture.received.first?.state == "é")
  }

  @Test func headGetsAnEmptyAnswerAndConsumesNothing() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open()
    let head = "HEAD /callback?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
    let answer = try await fixture.exchange(port, head)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.hasSuffix("\r\n\r\n"))
    #expect(fixture.received.isEmpty)
  }

  @Test func textOfTheProviderIsEscapedAndShort() async throws {
    let fixture = try await CallbackFixture { .failed($0.errorDescription ?? "") }
    let port = try await fixture.open()
    let long = String(repeating: "x", count: 5000)
    let answer = try await fixture.get(
      port, "/callback?error=access_denied&error_description=%3Cscript%3Ealert(1)%3C%2Fscript%3E%0D%0A\(long)")
    #expect(answer.contains("&lt;script&gt;alert(1)&lt;/script&gt; xxx"))
    #expect(!answer.contains("<script"))
    #expect(answer.utf8.count < 1500)
  }

  @Test func noPageHoldsTheCode() async throws {
    let fixture = try await CallbackFixture { .failed("code \(String(decoding: $0.code?.bytes ?? [], as: UTF8.self))") }
    let port = try await fixture.open()
    let answer = try await fixture.get(port, "/callback?code=hush-hush&state=s")
    #expect(answer.contains("code &lt;redacted&gt;"))
    #expect(!answer.contains("hush"))
  }

  @Test(arguments: [
    (CallbackPage.working, 200, "Go back to the terminal"), (.signedIn, 200, "close this window"),
    (.denied, 200, "refused"), (.failed("why"), 400, "why"), (.unknownState, 400, "No sign-in waits"),
    (.alreadyUsed, 400, "came before"),
  ])
  func eachOutcomeHasItsPage(page: CallbackPage, status: Int, words: String) async throws {
    let fixture = try await CallbackFixture { _ in page }
    let port = try await fixture.open()
    let answer = try await fixture.get(port, "/callback?code=c&state=s")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect(answer.contains(words))
  }

  @Test func anAddressWithoutAnAnswerLeadsToPaste() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open()
    for target in ["/callback", "/callback?", "/callback?code=&state=s", "/callback?foo"] {
      #expect(try await fixture.get(port, target).contains("keyrack login --paste"))
    }
    #expect(fixture.received.isEmpty)
  }
}

/// A request that must not count.
struct CallbackCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// Nil where the connection may be closed without an answer.
  let status: Int?
  let text: @Sendable (UInt16) -> String

  var testDescription: String { name }

  static func get(_ target: String, host: String? = nil) -> @Sendable (UInt16) -> String {
    { port in "GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n" }
  }

  static func post(_ port: UInt16, _ body: String, type: String) -> String {
    "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      + body
  }

  private static let form = "application/x-www-form-urlencoded"
  private static let good = "/callback?code=c&state=s"

  static let all: [CallbackCase] = [
    .init(name: "two codes", status: 400, text: get("/callback?code=a&code=b&state=s")),
    .init(name: "two states", status: 400, text: get("/callback?code=a&state=s&state=s")),
    .init(name: "two issuers", status: 400, text: get("/callback?code=a&state=s&iss=a&iss=b")),
    .init(name: "a code whose name is escaped", status: 400, text: get("/callback?code=a&%63ode=b&state=s")),
    .init(name: "a broken escape", status: 400, text: get("/callback?code=a%zz&state=s")),
    .init(name: "a NUL", status: 400, text: get("/callback?code=a%00b&state=s")),
    .init(name: "no UTF-8", status: 400, text: get("/callback?code=a%ff&state=s")),
    .init(name: "another host", status: 421, text: get(good, host: "evil.example")),
    .init(name: "another name", status: 421) { get(good, host: "localhost:\($0)")($0) },
    .init(name: "no port", status: 421, text: get(good, host: "127.0.0.1")),
    .init(name: "another port", status: 421, text: get(good, host: "127.0.0.1:1")),
    .init(name: "no Host", status: 400) { _ in "GET \(good) HTTP/1.1\r\n\r\n" },
    .init(name: "no Host in HTTP/1.0", status: 400) { _ in "GET \(good) HTTP/1.0\r\n\r\n" },
    .init(name: "two Hosts", status: 400) {
      "GET \(good) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\nhost: 127.0.0.1:\($0)\r\n\r\n"
    },
    .init(name: "favicon", status: 404, text: get("/favicon.ico")),
    .init(name: "the root", status: 404, text: get("/?code=c&state=s")),
    .init(name: "a slash more", status: 404, text: get("/callback/?code=c&state=s")),
    .init(name: "two slashes", status: 404, text: get("//callback?code=c&state=s")),
    .init(name: "another case", status: 404, text: get("/Callback?code=c&state=s")),
    .init(name: "an escaped path", status: 404, text: get("/%63allback?code=c&state=s")),
    .init(name: "dots", status: 404, text: get("/x/../callback?code=c&state=s")),
    .init(name: "the absolute form", status: 400) { get("http://127.0.0.1:\($0)\(good)")($0) },
    .init(name: "CONNECT", status: 400) { "CONNECT 127.0.0.1:\($0) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\n\r\n" },
    .init(name: "PUT", status: 405) {
      "PUT \(good) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\nContent-Length: 0\r\n\r\n"
    },
    .init(name: "OPTIONS", status: 405) { "OPTIONS \(good) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\n\r\n" },
    .init(name: "a form that is JSON", status: 415) { post($0, "{}", type: "application/json") },
    .init(name: "a form without a type", status: 415) {
      "POST \(good) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\nContent-Length: 6\r\n\r\ncode=c"
    },
    .init(name: "a form with two codes", status: 400) { post($0, "code=a&state=s&code=b", type: form) },
    .init(name: "a large form", status: 413) {
      post($0, "code=" + String(repeating: "x", count: 20_000) + "&state=s", type: form)
    },
    .init(name: "a huge form", status: nil) {
      post($0, "code=" + String(repeating: "x", count: 2_000_000) + "&state=s", type: form)
    },
    .init(name: "a head of 16 KiB", status: 431, text: get(good + "&x=" + String(repeating: "x", count: 16 << 10))),
    .init(name: "a head of 1 MiB", status: nil, text: get(good + "&x=" + String(repeating: "x", count: 1 << 20))),
    .init(name: "no HTTP", status: nil) { _ in "\u{16}\u{3}\u{1}\u{0}\u{5}hello\r\n\r\n" },
    .init(name: "a binary head", status: nil) { _ in "\u{0}\u{0}\u{0}\r\n\r\n" },
    .init(name: "SSH", status: nil) { _ in "SSH-2.0-scan\r\n\r\n" },
    .init(name: "a space in the target", status: nil, text: get("/callback?code=c d&state=s")),
  ]
}

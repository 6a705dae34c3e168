import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Sign-ins that come to nothing, and not because of the password.
@Suite(.timeLimit(.minutes(2))) struct LoginRefusalTests {
  private static let nonsense: [(what: String, type: String, body: String)] = [
    ("an unexpected body", "application/json", #"{"hello":"world"}"#),
    ("a web page", "text/html", "<!DOCTYPE html><html><body>Sign in to the hotel</body></html>"),
    ("truncated JSON", "application/json", #"{"access_token":"at-1","token_ty"#),
    ("a renamed member", "application/json", #"{"access-token":"at-1","refresh-token":"rt-1"}"#),
    ("a member of another type", "application/json", #"{"access_token":5,"token":{"a":1}}"#),
    ("nothing", "application/json", ""),
    ("an array", "application/json", #"[{"access_token":"at-1"}]"#),
    ("null", "application/json", "null"),
    ("no text", "application/json", "{\"access_token\":\"\u{0}\u{1}\"}"),
    ("deep nesting", "application/json", #"{"a":"# + String(repeating: "[", count: 100_000)),
    ("a deep object", "application/json", String(repeating: #"{"access_token":"#, count: 10_000)),
  ]

  @Test(arguments: ProviderKind.allCases)
  func anAnswerThatIsNoTokenLeavesNothingBehind(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    for answer in Self.nonsense {
      try await fixture.provider.script(kind.path, headers: ["Content-Type": answer.type], body: answer.body)
      let error = try await fixture.denial()
      #expect(error.code == .providerError, "\(answer.what): \(error.message)")
      #expect(error.hint != nil)
      #expect(try await fixture.status(of: "work").state == .signedOut, "\(answer.what)")
      try await fixture.signIn()
      let status = try await fixture.status(of: "work")
      #expect(status.state == .active, "\(answer.what)")
      #expect(status.lastError == nil, "\(answer.what)")
      _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    }
  }

  // MARK: Slow down

  private static let waits: [(status: Int, header: @Sendable () -> String, expected: ClosedRange<Int>)] = [
    (429, { "300" }, 240...300),
    (429, { httpDate(in: 300) }, 240...300),
    (503, { "300" }, 240...300),
  ]

  private static func httpDate(in seconds: Int) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date(timeIntervalSinceNow: Double(seconds)))
  }

  @Test(arguments: ProviderKind.allCases, 0..<LoginRefusalTests.waits.count)
  func nothingIsSentBeforeTheProviderAllowsIt(_ kind: ProviderKind, _ row: Int) async throws {
    let fixture = try await kind.fixture()
    let wait = Self.waits[row]
    try await fixture.provider.script(kind.path, status: wait.status, headers: ["Retry-After": wait.header()])
    for _ in 0..<2 {
      let error = try await fixture.denial()
      #expect(error.code == .throttled)
      #expect(error.retryable)
      #expect(wait.expected.contains(try #require(error.retryAfter)))
    }
    #expect(try await fixture.provider.log().count == 1)
  }

  @Test(arguments: ProviderKind.allCases)
  func theWaitEndsWhenTheProviderSaid(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.provider.script(kind.path, status: 429, headers: ["Retry-After": "1"])
    #expect(try await fixture.denial().retryAfter == 1)
    try await eventually("a sign-in") { (try? await fixture.signIn()) != nil }
    let sent = try await fixture.provider.log().map(\.receivedAtMilliseconds)
    #expect(sent.count == 2)
    #expect(sent[1] - sent[0] >= 950)
  }

  // MARK: No answer

  private static let failures: [(what: String, cause: @Sendable (SampleProvider, String) async throws -> Void)] = [
    ("503", { try await $0.script($1, status: 503) }),
    ("500", { try await $0.script($1, status: 500) }),
    ("a dropped request", { try await $0.script($1, drop: .before) }),
    ("a dropped answer", { try await $0.script($1, drop: .mid) }),
    ("a closed port", { provider, _ in provider.stop() }),
  ]

  @Test(arguments: ProviderKind.allCases)
  func aProviderThatIsDownIsNoVerdict(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    for failure in Self.failures {
      try await failure.cause(fixture.provider, kind.path)
      let error = try await fixture.denial()
      #expect(error.code == .temporarilyUnavailable, "\(failure.what): \(error.message)")
      #expect(error.retryable)
      #expect(error.hint?.isEmpty == false, "\(failure.what)")
      #expect(try await fixture.status(of: "work").state == .signedOut, "\(failure.what)")
    }
    #expect(try await fixture.session.items().isEmpty)
  }

  // MARK: Requests that make no sense

  private static let secret = Secret("s-e-c-r-e-t")
  private static let requests: [(member: String, LoginOperation)] = [
    ("password", .init(account: "work", method: .refreshToken, password: secret, refreshToken: secret)),
    ("password", .init(account: "work", password: secret, refreshToken: secret)),
    ("username", .init(account: "work", method: .refreshToken, username: "alice", refreshToken: secret)),
    ("refresh_token", .init(account: "work", method: .refreshToken)),
    ("refresh_token", .init(account: "work", method: .refreshToken, refreshToken: Secret(""))),
    (
      "refresh_token",
      .init(account: "work", method: .password, username: "alice", password: secret, refreshToken: secret)
    ),
    ("username", .init(account: "work", password: secret)),
    ("username", .init(account: "work", username: "", password: secret)),
    ("password", .init(account: "work", username: "alice")),
    ("password", .init(account: "work", method: .browser, password: secret)),
  ]

  @Test func aRequestThatMakesNoSenseNamesTheMember() async throws {
    let fixture = try await KeyrackFixture()
    for (member, request) in Self.requests {
      let error = try await fixture.daemon.failure(request)
      #expect(error.code == .badRequest, "\(error.message)")
      #expect(error.message.hasPrefix("\(member): "), "\(error.message)")
      #expect(!error.message.contains("s-e-c-r-e-t"))
    }
    #expect(try await fixture.provider.log().isEmpty)
  }

  @Test(arguments: [
    (LoginOperation.Method.browser, "authorization_endpoint"), (.paste, "authorization_endpoint"),
    (.device, "device_authorization_endpoint"),
  ])
  func aWayThatTheProviderHasNotIsNamedWithItsKey(method: LoginOperation.Method, key: String) async throws {
    let fixture = try await KeyrackFixture()
    let error = try await fixture.daemon.failure(LoginOperation(account: "work", method: method))
    #expect(error.code == .configError)
    #expect(error.message == "work: provider corp has no \(key)")
    #expect(try await fixture.provider.log().isEmpty)
  }

  @Test func aPasswordGrantHasToBeAllowed() async throws {
    let fixture = try await KeyrackFixture {
      KeyrackFixture.oauth($0).replacing("password_grant=true", with: "password_grant=false")
    }
    let error = try await fixture.denial()
    #expect(error.code == .configError)
    #expect(error.hint?.contains("password_grant=true") == true)
    #expect(try await fixture.provider.log().isEmpty)
  }
}

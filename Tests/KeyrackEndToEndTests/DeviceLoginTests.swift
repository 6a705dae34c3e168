import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Signing in on another device (RFC 8628).
@Suite(.timeLimit(.minutes(2))) struct DeviceLoginTests {
  @Test func theEventSaysWhereToGoAndWhatToEnter() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture, .device)
    let line = try #require(try JSONSerialization.jsonObject(with: Data(login.line.utf8)) as? [String: Any])
    #expect(
      Set(line.keys) == [
        "id", "event", "verification_uri", "user_code", "verification_uri_complete", "expires_at",
      ])
    #expect(line["id"] as? Int == 7)
    #expect(line["event"] as? String == "device")
    #expect(line["user_code"] as? String == "WDJB-1000")
    #expect(line["verification_uri"] as? String == fixture.provider.url("/device"))
    let pending = try #require(try await fixture.status(of: "work").pendingLogin)
    #expect(pending.method == .device)
    #expect(pending.userCode == "WDJB-1000")
    #expect(pending.verificationURI == fixture.provider.url("/device"))
    let form = try #require(try await fixture.requests("/device_authorization").first?.form)
    #expect(form == ["client_id": "keyrack-test", "scope": "openid mail offline_access"])
  }

  @Test func itPollsUntilThePersonHasApproved() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture, .device)
    try await fixture.provider.waitForRequests("/token", count: 2)
    try await fixture.provider.decideDevices(.approve)
    let reply = try await login.outcome().get()
    #expect(reply.subject == "alice")
    let polls = try await fixture.requests("/token")
    #expect(polls.map(\.outcome) == [.pending, .pending, .granted])
    #expect(polls.allSatisfy { $0.grantType == "urn:ietf:params:oauth:grant-type:device_code" })
    #expect(try await fixture.provider.accepts(accessToken: fixture.token()))
  }

  @Test func slowDownIsObeyedAndIsNoEnd() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.script("/token", status: 400, body: #"{"error":"slow_down","interval":3}"#)
    let login = try await OpenSignIn(fixture, .device)
    try await fixture.provider.decideDevices(.approve)
    #expect(try await login.outcome().get().subject == "alice")
    let times = try await fixture.requests("/token").map(\.receivedAtMilliseconds)
    try #require(times.count == 2)
    #expect(times[1] - times[0] >= 3000)
  }

  @Test(arguments: [(SampleProvider.DeviceDecision.deny, ErrorCode.loginDenied), (.expire, .loginExpired)])
  func aDecisionAgainstItEndsIt(_ decision: SampleProvider.DeviceDecision, _ code: ErrorCode) async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture, .device)
    try await fixture.provider.decideDevices(decision)
    let error = try await login.failure()
    #expect(error.code == code)
    #expect(error.message.contains(code == .loginDenied ? "refused" : "the code has expired before anybody signed in"))
    #expect(error.hint == "keyrack login work --device")
    #expect(try await fixture.status(of: "work").state == .signedOut)
    #expect(try await fixture.provider.tokens().isEmpty)
  }

  @Test func aPollThatFailsIsMadeAgain() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    try await fixture.provider.script("/token", drop: .before)
    let login = try await OpenSignIn(fixture, .device)
    try await fixture.provider.decideDevices(.approve)
    #expect(try await login.outcome().get().subject == "alice")
  }

  @Test func aCanceledOnePollsNoMore() async throws {
    let fixture = try await KeyrackFixture.withBrowser()
    let login = try await OpenSignIn(fixture, .device)
    #expect(try await fixture.daemon.call(CancelOperation(account: "work")).canceled)
    #expect(try await login.failure().code == .loginCanceled)
    // It would have polled before the next one, which begins later and waits as long.
    let next = try await OpenSignIn(fixture, .device)
    try await fixture.provider.decideDevices(.approve)
    #expect(try await next.outcome().get().subject == "alice")
    #expect(try await fixture.requests("/token").map(\.outcome) == [.granted])
  }
}

import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Notifications of the desktop, with the real daemon and a bus.
@Suite(.timeLimit(.minutes(1))) struct NotificationTests {
  private static let title = "Sign in to work again"
  private static let body = "The provider no longer accepts the refresh token. In a terminal: keyrack login work"

  private let session: PrivateSession

  init() async throws { session = try await PrivateSession() }

  /// A daemon with an account whose refresh token the provider refuses the next time.
  private func fixture(_ settings: String = "") async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture(in: session) { KeyrackFixture.oauth($0) + "[keyrack]\n" + settings }
    try await fixture.signIn()
    try await fixture.provider.script("/token", status: 400, body: #"{"error":"invalid_grant"}"#)
    return fixture
  }

  private func refuse(_ fixture: KeyrackFixture) async throws {
    let token = try await fixture.token()
    let error = try await fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(token)))
    #expect(error.code == .loginRequired)
  }

  @Test func aSignInThatIsNeededIsShownRemindedOfAndClosed() async throws {
    let desktop = try FakeNotifications(in: session)
    let fixture = try await fixture("notify_interval=1\n")
    #expect(desktop.calls == [])
    try await refuse(fixture)
    try await eventually("a reminder", within: .seconds(10)) { desktop.calls.count >= 2 }
    #expect(
      desktop.calls.prefix(2) == [
        .notify(replaces: 0, title: Self.title, body: Self.body),
        .notify(replaces: 1, title: Self.title, body: Self.body),
      ])
    try await fixture.signIn()
    try await eventually("its end", within: .seconds(10)) { desktop.calls.last == .close(1) }
    #expect(!fixture.daemon.said.contains("notification"))
  }

  /// That counts anew: what has the same number there is somebody else's.
  @Test func aServiceThatTakesThePlaceOfAnotherIsToldAnew() async throws {
    let before = try FakeNotifications(in: session)
    let fixture = try await fixture("notify_interval=1\n")
    try await refuse(fixture)
    try await eventually("the notification", within: .seconds(10)) { !before.calls.isEmpty }
    before.leave()
    let desktop = try FakeNotifications(in: session)
    try await eventually("a reminder", within: .seconds(10)) { !desktop.calls.isEmpty }
    #expect(desktop.calls.first == .notify(replaces: 0, title: Self.title, body: Self.body))
  }

  @Test func aServiceThatHangsDelaysNobody() async throws {
    let desktop = try FakeNotifications(in: session, hangs: true)
    let fixture = try await fixture()
    let (took, _) = try await timed {
      try await refuse(fixture)
      try await eventually("the call") { desktop.calls.count == 1 }
      try await fixture.signIn()
      for _ in 0..<20 { _ = try await fixture.token() }
      #expect(try await fixture.daemon.stop() == 0)
    }
    #expect(took < .seconds(8))
  }

  @Test func whereThereIsNoServiceThatIsLoggedOnce() async throws {
    let fixture = try await fixture("notify_interval=1\n")
    try await refuse(fixture)
    let line = "keyrackd: info: no desktop notification: no service for them is on the session bus\n"
    try await eventually("the line", within: .seconds(10)) { fixture.daemon.said.contains(line) }
    let desktop = try FakeNotifications(in: session)
    try await eventually("a reminder", within: .seconds(10)) { !desktop.calls.isEmpty }
    #expect(desktop.calls.first == .notify(replaces: 0, title: Self.title, body: Self.body))
    #expect(fixture.daemon.said.components(separatedBy: "no desktop notification").count == 2)
  }

  @Test func nothingIsShownToWhoeverWantsNone() async throws {
    let desktop = try FakeNotifications(in: session)
    let fixture = try await fixture("notify=no\n")
    try await refuse(fixture)
    #expect(desktop.calls == [])
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider) + "[keyrack]\nnotify=yes\n")
    _ = try await fixture.daemon.call(ReloadOperation())
    try await eventually("it to be turned on", within: .seconds(10)) { desktop.calls.count == 1 }
  }
}

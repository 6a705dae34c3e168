import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Programs that are told what changes.
@Suite(.timeLimit(.minutes(1))) struct WatchTests {
  private func start(_ arguments: [String], _ fixture: KeyrackFixture, _ folder: TemporaryFolder) throws -> Child {
    try Child(
      [Products.path(of: "keyrack")] + arguments, environment: fixture.daemon.environment,
      output: folder.path + "/out", error: folder.path + "/err")
  }

  private func text(_ name: String, _ folder: TemporaryFolder) -> String {
    (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
  }

  @Test(arguments: [[], ["--json"]]) func watchShowsWhatHappens(_ options: [String]) async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let folder = try TemporaryFolder()
    let watch = try start(["watch", "work"] + options, fixture, folder)
    try await eventually("the state") { text("out", folder).contains("\n") }
    try await fixture.signIn()
    _ = try await fixture.daemon.call(LogoutOperation(account: "work"))
    try await eventually("both events") { text("out", folder).split(separator: "\n").count == 3 }
    let lines = text("out", folder).split(separator: "\n")
    if options.isEmpty {
      #expect(lines[0].hasSuffix("  work  signed out"))
      #expect(lines[1].hasSuffix("  work  signed in"))
    } else {
      #expect(lines[0].hasPrefix(#"{"ok":true,"accounts":[{"account":"work""#))
      #expect(lines[1].hasPrefix(#"{"event":"login","account":"work","at":"#))
      #expect(lines[2].hasPrefix(#"{"event":"logout","account":"work","at":"#))
    }
    // A daemon that stops does not wait for those who only listen.
    let begin = ContinuousClock.now
    #expect(try await fixture.daemon.stop() == 0)
    #expect(.now - begin < .seconds(1.5))
    watch.send(SIGINT)
    #expect(try await watch.wait() == 128 + SIGINT)
  }

  @Test(arguments: [[], ["--json"]]) func watchGoesOnWithTheNextDaemon(_ options: [String]) async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let folder = try TemporaryFolder()
    let watch = try start(["watch"] + options, fixture, folder)
    try await eventually("the state") { text("out", folder).contains("\n") }
    try await fixture.daemon.stop()
    try await eventually("word of it") { !text("err", folder).isEmpty }
    #expect(text("err", folder) == "keyrack: waiting: keyrackd has stopped, or is being restarted\n")
    try await fixture.daemon.start()
    let begun = options.isEmpty ? 3 : 2
    try await eventually("the state once more") { text("out", folder).split(separator: "\n").count == begun }
    try await fixture.signIn()
    try await eventually("the event") { text("out", folder).split(separator: "\n").count == begun + 1 }
    let lines = text("out", folder).split(separator: "\n")
    if options.isEmpty {
      #expect(lines[1].hasSuffix("  keyrackd is back"))
      #expect(lines[2].hasSuffix("  work  signed out"))
      #expect(lines[3].hasSuffix("  work  signed in"))
    } else {
      #expect(lines[1].hasPrefix(#"{"ok":true,"accounts":[{"account":"work""#))
      #expect(lines[2].hasPrefix(#"{"event":"login","account":"work","at":"#))
    }
    #expect(watch.exitStatus == nil)
  }

  @Test func watchEndsWhereTheNextDaemonHasNoSuchAccount() async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let folder = try TemporaryFolder()
    let watch = try start(["watch", "work"], fixture, folder)
    try await eventually("the state") { text("out", folder).contains("\n") }
    try await fixture.daemon.stop()
    try fixture.daemon.write(configuration: KeyrackFixture.oauth(fixture.provider, accounts: ["other"]))
    try await fixture.daemon.start()
    #expect(try await watch.wait() == 1)
    #expect(text("err", folder).contains("\nkeyrack: work: "))
  }

  @Test func aSubscriberThatHasShutDownItsWritingSideIsToldAllTheSame() async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(SubscribeOperation(accounts: ["work"]).line(id: .text("s")))
    wire.finish()
    #expect(try await wire.line()?.hasPrefix(#"{"id":"s","ok":true,"#) == true)
    try await fixture.signIn()
    #expect(try await wire.line()?.hasPrefix(#"{"id":"s","event":"login","account":"work""#) == true)
  }

  @Test func waitEndsOnceATokenCanBeHad() async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let folder = try TemporaryFolder()
    let wait = try start(["wait", "work"], fixture, folder)
    try await eventually("it to wait") { text("err", folder).contains("waiting: work") }
    #expect(wait.exitStatus == nil)
    try await fixture.signIn()
    #expect(try await wait.wait() == 0)
    #expect(text("out", folder) == "")
  }

  @Test func waitGoesOnWithTheNextDaemon() async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let folder = try TemporaryFolder()
    let wait = try start(["wait", "work"], fixture, folder)
    try await eventually("it to wait") { text("err", folder).contains("waiting: work") }
    try await fixture.daemon.stop()
    try await eventually("word of it") { text("err", folder).contains("waiting: keyrackd has stopped") }
    try await fixture.daemon.start()
    try await fixture.signIn()
    #expect(try await wait.wait() == 0)
    #expect(text("out", folder) == "")
  }

  @Test func waitHasNoMoreTimeForADaemonThatStaysAway() async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let folder = try TemporaryFolder()
    let wait = try start(["wait", "work", "--timeout", "2"], fixture, folder)
    try await eventually("it to wait") { text("err", folder).contains("waiting: work") }
    try await fixture.daemon.stop()
    #expect(try await wait.wait() == 7)
    #expect(text("err", folder).contains("keyrack: keyrackd is not running: "))
  }

  @Test func waitSaysWhyItGaveUp() async throws {
    let fixture = try await ProviderKind.oauth.fixture()
    let result = try await fixture.daemon.keyrack("wait", "work", "--timeout", "0")
    #expect(result.status == 3)
    #expect(result.error.contains("keyrack login work"))
    #expect(try await fixture.daemon.keyrack("wait", "nope").status == 1)
  }
}

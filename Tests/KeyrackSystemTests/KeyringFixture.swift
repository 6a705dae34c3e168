import Foundation
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Synchronization
import TestSupport

/// A private session, and a keyring adapter with the real helper in it.
struct KeyringFixture {
  let session: PrivateSession
  let keyring: Keyring
  let log = CollectedLog()

  init(_ mode: PrivateSession.Mode = .unlocked, call: Duration = .seconds(10), prompt: Duration = .seconds(2))
    async throws
  {
    session = try await PrivateSession(mode)
    var deadlines = KeyringDeadlines()
    deadlines.call = call
    deadlines.backgroundPrompt = prompt
    deadlines.interactivePrompt = prompt
    keyring = try Keyring(
      helper: Self.helper, log: log, environment: session.environment,
      deadlines: deadlines)
  }

  /// Beside the tests, where the package manager puts all it builds.
  static var helper: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/keyrack-keyring"
  }
}

final class CollectedLog: EventLog {
  private let lines = Mutex<[String]>([])

  var messages: [String] { lines.withLock { $0 } }

  func record(_ event: Event) { lines.withLock { $0.append(event.message) } }
}

extension SessionRecord {
  static func example(_ account: String = "work", token: String = "refresh-1", generation: Int = 0) -> SessionRecord {
    SessionRecord(
      session: sampleSession, account: account, provider: "corp", generation: generation,
      audience: Audience(issuer: "https://sso.example.org", endpoint: "https://sso.example.org/token", clientID: "k"),
      subject: "\u{E4}\"\\\n\u{1F511}", scope: "openid mail", refreshToken: Secret(token), obtainedAt: 1_700_000_000)
  }
}

extension Revocation {
  static func owed(token: String = "refresh-1") -> Revocation {
    let record = SessionRecord.example()
    return Revocation(
      session: record.session, account: record.account, provider: record.provider, audience: record.audience,
      refreshToken: Secret(token), accessToken: nil, since: 1_700_000_100)
  }
}

private let sampleSession = SessionID()

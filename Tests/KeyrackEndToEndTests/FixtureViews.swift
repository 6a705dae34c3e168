import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// What a test sees of the daemon's world without asking the daemon, and what it says of itself.
extension KeyrackFixture {
  static let bobsPassword = "p@ss+w0rd&x"

  /// Keyrack's items in the keyring: `session` or `revoke`.
  func items(_ kind: String) async throws -> [PrivateSession.Item] {
    try await session.items().filter { $0.attributes["kind"] == kind }
  }

  /// The item that is all there is in the keyring.
  func onlyItem() async throws -> PrivateSession.Item {
    let items = try await session.items()
    try #require(items.count == 1)
    return items[0]
  }

  /// Puts an item into the keyring as Keyrack does, in place of the one with these attributes.
  func put(_ secret: String, in item: PrivateSession.Item) async throws {
    let attributes = item.attributes.merging(["xdg:schema": "io.keyrack.Session"]) { $1 }
    try await session.store(attributes: attributes, secret: secret, label: item.label)
  }

  /// Waits until the keyring has so many of Keyrack's items, of one kind or in all.
  func keyringHolds(_ count: Int, _ kind: String? = nil) async throws {
    try await eventually("\(count) items in the keyring", within: .seconds(15)) {
      // An item that goes while they are read is an error.
      let items = try? await session.items()
      return items?.count { kind == nil || $0.attributes["kind"] == kind } == count
    }
  }

  /// The files in the state directory that say which sessions have ended.
  var notes: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "\(session.path)/home/.local/state/keyrack/ended")
    return (names ?? []).filter { !$0.hasPrefix(".") }
  }

  /// The daemon's only child.
  func helper() async throws -> pid_t {
    let parent = await daemon.pid
    let found = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.first { process in
      let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
      // PID (NAME) STATE PARENT, and a name may hold anything.
      return text.split(separator: ")").last?.split(separator: " ").dropFirst().first == "\(parent)"
    }
    return try #require(found)
  }

  func status() async throws -> StatusOperation.Reply { try await daemon.call(StatusOperation()) }

  func status(of account: String) async throws -> AccountStatus {
    try #require(try await daemon.call(StatusOperation(account: account)).accounts.first)
  }

  /// Another access token than the one that is given: a server has refused that.
  func token(_ account: String = "work", insteadOf rejected: String) async throws -> String {
    text(try await daemon.call(TokenOperation(account: account, rejected: Secret(rejected))).token)
  }

  /// The only refresh token that the provider would take.
  func liveRefreshToken() async throws -> String {
    let tokens = try await liveRefreshTokens()
    try #require(tokens.count == 1)
    return tokens[0]
  }

  /// Whether the provider has seen a token again that was spent before.
  func sawReuse() async throws -> Bool { try await provider.log().contains { $0.outcome == .reuse } }
}

/// How long something takes, and what comes of it.
func timed<Value>(_ work: () async throws -> Value) async throws -> (Duration, Value) {
  let start = ContinuousClock.now
  let value = try await work()
  return (ContinuousClock.now - start, value)
}

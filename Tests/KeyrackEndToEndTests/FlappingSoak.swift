import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Fifty accounts with short tokens at a provider that flaps, ten clients that ask for them, and a daemon that is killed
/// again and again.
struct FlappingSoak: Sendable {
  private static let clients = 10
  /// Seconds.
  private static let accessLifetime = 5.0

  let accounts = (0..<50).map { "user-\($0)" }
  let fixture: KeyrackFixture
  let record = SoakRecord()
  let repairs: SoakRepairs

  init() async throws {
    fixture = try await KeyrackFixture(accounts: accounts, accessLifetime: Self.accessLifetime)
    repairs = SoakRepairs(fixture, record)
    for account in accounts { try await fixture.signInNumbered(account) }
  }

  func setFlapping(_ flaps: Bool) async throws { try await fixture.provider.setWeather(seed: flaps ? 2026 : nil) }

  /// Lets the clients ask, and kills the daemon about so often, if at all.
  func run(for length: Duration, seed: UInt64, killingEvery interval: Duration? = nil) async throws {
    let end = ContinuousClock.now + length
    try await withThrowingTaskGroup { group in
      for number in 0..<Self.clients {
        group.addTask {
          var client = SoakClient(self, seed: seed << 8 + UInt64(number))
          try await client.run(until: end)
        }
      }
      if let interval { group.addTask { try await kill(every: interval, until: end, seed: seed) } }
      try await group.waitForAll()
    }
  }

  private func kill(every interval: Duration, until end: ContinuousClock.Instant, seed: UInt64) async throws {
    var random = SeededGenerator(seed)
    while true {
      let next = ContinuousClock.now + interval * Double.random(in: 0.8...1.2, using: &random)
      if next > end { return }
      try await Task.sleep(until: next, clock: .continuous)
      try await restart()
    }
  }

  /// By SIGKILL, in the midst of things.
  func restart() async throws {
    await record.kill(fixture.daemon)
    try await fixture.daemon.start()
    await record.started()
  }

  /// What the processes take up while nobody asks, and how many refreshes there have been.
  func pause() async throws -> ([ProcessFootprint], Int) {
    let footprints = try await fixture.footprints()
    await record.read(try await fixture.provider.log(after: record.newest))
    return (footprints, await record.refreshes)
  }

  /// Asks once more for each account, where the weather is fair and no failure is remembered: whoever has no token now has
  /// lost the session.
  func takeStock() async throws {
    try await setFlapping(false)
    try await restart()
    for account in accounts {
      let asked = ContinuousClock.now
      do {
        let token = try await fixture.token(account)
        await record.gotToken(token)
        #expect(try await fixture.provider.accepts(accessToken: token), "\(account)")
      } catch let error as ReplyError {
        await record.gotError(error)
        if error.code == .loginRequired {
          await repairs.signInAgain(account, error, askedAt: asked)
        } else {
          await record.violated("\(account) has no token in fair weather: \(error.message)")
        }
      }
    }
    await record.read(try await fixture.provider.log(after: record.newest))
  }
}

extension SoakRecord {
  /// For people.
  func table(_ before: [ProcessFootprint], _ after: [ProcessFootprint]) -> String {
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
    let rows = [
      ("requests", "\(requests)"), ("tokens served", "\(served)"), ("refused", list(refused)),
      ("connections lost", "\(connectionsLost)"), ("refreshes", "\(refreshes)"), ("faults", list(faults)),
      ("kills", "\(kills.count)"), ("losses allowed", "\(lossesByFault) by faults, \(lossesByKill) by kills"),
      ("violations", "\(violations.values.reduce(0, +))"),
      ("keyrackd", "\(before[0]) -> \(after[0])"), ("keyrack-keyring", "\(before[1]) -> \(after[1])"),
    ]
    return rows.map { $0.0.padding(toLength: 18, withPad: " ", startingAt: 0) + $0.1 }.joined(separator: "\n")
  }
}

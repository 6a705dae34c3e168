import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// What `make soak` gives it; 0 in `make test`.
private let seconds = ProcessInfo.processInfo.environment["KEYRACK_SOAK_SECONDS"].flatMap { Int($0) } ?? 0

/// No session is lost, nobody is forgotten, nothing grows: for a long time by `make soak`, for some rounds in every test.
@Suite(.timeLimit(.minutes(seconds / 60 + 15))) struct SoakTests {
  @Test(.enabled(if: seconds > 0, "takes its time: make soak"))
  func flappingAndKillsLoseNoSessionThatCanBeKept() async throws {
    let soak = try await FlappingSoak()
    let length = Duration.seconds(seconds)
    try await soak.setFlapping(true)
    try await soak.run(for: length * 0.75, seed: 1, killingEvery: min(.seconds(60), length / 8))
    // One life to its end: at first it takes what it needs, then it may take no more.
    try await soak.run(for: length * 0.1, seed: 2)
    let (first, before) = try await soak.pause()
    try await soak.run(for: length * 0.15, seed: 3)
    let (last, after) = try await soak.pause()
    try await soak.takeStock()
    print("soak, flapping and kills:\n\(await soak.record.table(first, last))")
    for (violation, count) in await soak.record.violations { Issue.record("\(violation): \(count) times") }
    try expectFlat(first, last, looks: 4 * (after - before))
  }

  @Test func roundsOfEverythingLoseNoSessionAndLeaveNothing() async throws {
    let warmUp = 10
    let fixture = try await KeyrackFixture(accounts: ["work", "other"])
    try await fixture.signIn()
    var rounds = SoakRounds(fixture)
    for _ in 0..<warmUp { try await rounds.next() }
    let first = try await fixture.footprints()
    for _ in 0..<(seconds > 0 ? 1000 : 30) { try await rounds.next() }
    let last = try await fixture.footprints()
    print("soak: \(rounds.count) rounds; after \(warmUp): \(first); at the end: \(last)")
    try expectFlat(first, last, looks: 6 * (rounds.count - warmUp))
  }

  /// The real deadlines: five minutes without a request, and half a minute in which nothing is read.
  @Test(.enabled(if: seconds > 0, "takes five minutes: make soak"))
  func clientsThatDoNothingAreClosedAtTheirTime() async throws {
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let (idle, mute) = (try Wire(daemon.socket), try Wire(daemon.socket))
    let start = ContinuousClock.now
    let request = VersionOperation().line()
    let many = Array(repeating: request, count: 10_000).flatMap { $0 }
    // The last that is taken is the last sign of life.
    try await eventually("the end of the one that never reads", within: .seconds(60)) { mute.push(many) < 0 }
    #expect((.seconds(30)..<Duration.seconds(45)).contains(ContinuousClock.now - start))
    #expect(idle.push([UInt8(ascii: "\n")]) == 1)
    let blank = ContinuousClock.now
    try await eventually("the end of the idle one", within: .seconds(330)) { idle.hasEnded }
    #expect((.seconds(300)..<Duration.seconds(315)).contains(ContinuousClock.now - blank))
  }

  /// libsecret loses 1.6 kB with each look at a secret, which is for the helper only.
  private func expectFlat(_ before: [ProcessFootprint], _ after: [ProcessFootprint], looks: Int) throws {
    try #require(before.count == 2 && after.count == 2)
    for (before, after) in zip(before, after) {
      #expect(after.pid == before.pid)
      // Swift makes a thread for each processor when it is first needed; one a round would be many.
      #expect(after.threads <= before.threads + 2)
      #expect(after.descriptors == before.descriptors)
    }
    #expect(after[0].residentKiB - before[0].residentKiB < 2048, "keyrackd: \(before[0]), then \(after[0])")
    #expect(after[1].residentKiB - before[1].residentKiB < 2048 + 2 * looks, "keyring: \(before[1]), then \(after[1])")
  }
}

import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Twenty seconds, as they are, of a provider that is down, with a token that has expired and a client that asks each
/// second. Both cases run side by side, each with a daemon of its own.
@Suite(.timeLimit(.minutes(2))) struct OutageTests {
  @Test func anOutageCostsNextToNothingAndEndsByItself() async throws {
    async let refused: Void = connectionsThatAreRefused()
    async let unavailable: Void = answersThatSayUnavailable()
    _ = try await (refused, unavailable)
  }

  /// Nothing leaves, so that a caller may try again before the backoff says so, though not more often than every 2 s.
  private func connectionsThatAreRefused() async throws {
    let fixture = try await shortToken()
    let log = LogWatch(fixture.daemon.log, for: "could not connect")
    try await fixture.provider.refuseConnections(for: .seconds(20))
    let asked = try await askEachSecond(fixture)
    let failures = await log.stop()
    #expect((5...12).contains(failures.count), "\(failures)")
    for gap in gaps(failures).dropFirst() { #expect(gap > .seconds(1.9), "\(failures)") }
    #expect(asked < .seconds(20 + 2 + 1), "back after \(asked)")
  }

  /// Here a refresh token is at stake, and the backoff holds for whoever asks: 1 s, 2 s, 4 s, 8 s.
  private func answersThatSayUnavailable() async throws {
    let fixture = try await shortToken()
    let signIn = try await fixture.provider.log().count
    // The fifth finds the provider up again.
    try await fixture.provider.script("/token", count: 4, status: 503)
    _ = try await askEachSecond(fixture)
    let requests = try await fixture.provider.log(after: signIn)
    #expect(requests.map(\.status) == [503, 503, 503, 503, 200])
    let times = requests.map { Duration.milliseconds($0.receivedAtMilliseconds) }
    for (gap, seconds) in zip(zip(times, times.dropFirst()).map { $1 - $0 }, [1.0, 2, 4, 8]) {
      // Up to a fifth more by chance, and then the client asks at the next second.
      #expect(gap > .seconds(seconds - 0.1) && gap < .seconds(seconds * 1.2 + 1.5), "\(times)")
    }
  }

  /// An account whose access token will have ended in a second, at a provider whose next one lasts.
  private func shortToken() async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture(accessLifetime: 1)
    try await fixture.signIn()
    try await fixture.provider.set(.init(accessLifetime: 3600))
    return fixture
  }

  /// From the end of the token that there is to the next one. Returns how long that took.
  private func askEachSecond(_ fixture: KeyrackFixture) async throws -> Duration {
    let start = ContinuousClock.now
    try await eventually("the token's end") { (try? await fixture.token()) == nil }
    let usage = try await ProcessTime(of: fixture.daemon.pid)
    for second in 2... {
      let (took, error) = try await timed { try await refusal(fixture) }
      #expect(took < .seconds(1))
      guard let error else {
        try await expectIdle(since: usage, fixture)
        return ContinuousClock.now - start
      }
      #expect(error.code == .temporarilyUnavailable && error.retryAfter != nil, "\(error)")
      guard second < 60 else { throw error }
      try await Task.sleep(until: start + .seconds(second), clock: .continuous)
    }
    return .zero
  }

  /// Nil where there is a token.
  private func refusal(_ fixture: KeyrackFixture) async throws -> ReplyError? {
    do { _ = try await fixture.token() } catch let error as ReplyError { return error }
    return nil
  }

  /// Under 1 % of one processor.
  private func expectIdle(since before: ProcessTime, _ fixture: KeyrackFixture) async throws {
    let after = try await ProcessTime(of: fixture.daemon.pid)
    print("outage: \(after.used - before.used) of processor in \(after.at - before.at)")
    #expect(after.used - before.used < (after.at - before.at) / 100)
  }

  private func gaps(_ times: [ContinuousClock.Instant]) -> [Duration] { zip(times, times.dropFirst()).map { $1 - $0 } }
}

/// Notes when a word comes into a log.
private final class LogWatch: Sendable {
  private let task: Task<[ContinuousClock.Instant], Never>

  init(_ path: String, for word: String) {
    task = Task {
      var times: [ContinuousClock.Instant] = []
      while !Task.isCancelled {
        let count = (try? String(contentsOfFile: path, encoding: .utf8))?.components(separatedBy: word).count ?? 1
        while times.count < count - 1 { times.append(.now) }
        try? await Task.sleep(for: .milliseconds(20))
      }
      return times
    }
  }

  /// Returns the times.
  func stop() async -> [ContinuousClock.Instant] {
    task.cancel()
    return await task.value
  }
}

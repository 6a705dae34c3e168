import KeyrackCore
import KeyrackProtocol
import Testing

@Suite(OneQueue(), .timeLimit(.minutes(1))) struct DeviceSignInTests {
  private let request = LoginOperation(account: "work", method: .device)

  private func bench(
    _ polls: [DeviceOutcome], _ device: DeviceAuthorization = FakeSignIns.device()
  ) -> Bench {
    let bench = Bench(signingInAt: { $0.endpoints.deviceAuthorization = "https://sso.example/device" })
    bench.signIns.change {
      $0.polls = polls
      $0.device = .success(device)
    }
    return bench
  }

  /// Seconds from the start to each poll.
  private func pollTimes(_ bench: Bench, since start: ContinuousClock.Instant) -> [Double] {
    bench.signIns.pollTimes.map { ($0 - start) / .seconds(1) }
  }

  @Test func thePersonSignsInElsewhere() async throws {
    let bench = bench([.pending, .pending, .ended(grant("at-1", "rt-1"))])
    let start = bench.clock.now
    let login = await bench.logIn(request)
    #expect(
      login.events == [
        .device(
          .init(
            verificationURI: "https://sso.example/device", userCode: "ABCD-EFGH", verificationURIComplete: nil,
            expiresAt: 1_000_600))
      ])
    #expect(try await bench.status().pendingLogin?.userCode == "ABCD-EFGH")
    await bench.clock.run(.seconds(30))
    #expect(try await login.outcome().get().account == "work")
    #expect(pollTimes(bench, since: start) == [5.5, 11, 16.5])
  }

  @Test(arguments: [
    ([DeviceOutcome.slowDown(nil), .pending, .ended(grant("at-1"))], [5.5, 16, 26.5]),
    ([.slowDown(.seconds(20)), .pending, .ended(grant("at-1"))], [5.5, 26, 46.5]),
    ([.slowDown(nil), .slowDown(nil), .ended(grant("at-1"))], [5.5, 16, 31.5]),
    // Once the network is back it is asked as often as before.
    (
      [.ended(.notSent("no network")), .ended(.unknown("no answer")), .pending, .ended(grant("at-1"))],
      [5.5, 16, 36.5, 42]
    ),
    ([.ended(.throttled("slow", retryAfter: .seconds(30))), .ended(grant("at-1"))], [5.5, 36]),
  ])
  func itIsAskedAsOftenAsTheProviderLikes(polls: [DeviceOutcome], times: [Double]) async throws {
    let bench = bench(polls)
    let start = bench.clock.now
    let login = await bench.logIn(request)
    await bench.clock.run(.seconds(120))
    #expect(try await login.outcome().get().account == "work")
    #expect(pollTimes(bench, since: start) == times)
  }

  @Test(arguments: [
    (DeviceOutcome.denied("access_denied"), ErrorCode.loginDenied), (.expired, .loginExpired),
    (.ended(.rejected(Rejection(.client, "invalid_client"))), .configError),
    (.ended(.rejected(Rejection(.grant(.revoked), "invalid_grant"))), .loginFailed),
  ])
  func anEndIsAnEnd(outcome: DeviceOutcome, code: ErrorCode) async throws {
    let bench = bench([outcome])
    let login = await bench.logIn(request)
    await bench.clock.run(.seconds(6))
    #expect(await login.outcome().code == code)
    #expect(bench.signIns.pollTimes.count == 1)
  }

  @Test(arguments: [(Duration.seconds(60), 60), (.seconds(3600), 600)])
  func nobodyIsWaitedForForEver(lifetime: Duration, seconds: Int) async throws {
    let bench = bench([.pending], FakeSignIns.device(lifetime: lifetime))
    let login = await bench.logIn(request)
    await bench.clock.run(.seconds(seconds - 1))
    #expect(try await bench.status().state == .signingIn)
    await bench.clock.run(.seconds(1))
    #expect(await login.outcome().code == .loginExpired)
  }

  @Test func aMachineThatSleptAsksOnce() async throws {
    let bench = bench([.pending])
    let login = await bench.logIn(request)
    bench.clock.advance(.seconds(300))
    await QueueExecutor.shared.settle()
    #expect(bench.signIns.pollTimes.count == 1)
    bench.clock.advance(.seconds(86_400))
    #expect(await login.outcome().code == .loginExpired)
    #expect(bench.signIns.pollTimes.count == 1)
  }

  @Test func aSecondLoginGetsTheSameCode() async throws {
    let bench = bench([.ended(grant("at-1", "rt-1"))])
    let logins = [await bench.logIn(request), await bench.logIn(request)]
    #expect(logins[0].events == logins[1].events)
    await bench.clock.run(.seconds(6))
    for login in logins { #expect(try await login.outcome().get().account == "work") }
    #expect(bench.asked == ["device", "poll", "identify without nonce"])
  }

  @Test func cancelingEndsThePolls() async throws {
    let bench = bench([.pending])
    let login = await bench.logIn(request)
    _ = await bench.coordinator.cancel(CancelOperation(account: "work"))
    #expect(await login.outcome().code == .loginCanceled)
    await bench.clock.run(.seconds(60))
    #expect(bench.signIns.pollTimes.isEmpty)
  }
}

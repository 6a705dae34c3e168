import KeyrackProtocol

extension TokenCoordinator {
  /// Beside the interval: a poll that comes a little early makes some providers add 5 s to it (PROVIDERS Q67).
  private static let pollMargin = Duration.milliseconds(500)
  private static let longestInterval = Duration.seconds(60)

  /// Has the person sign in on another device (RFC 8628).
  func authorizeDevice(_ attempt: LoginAttempt, _ account: Account) async throws(ReplyError) -> LoginAnswer {
    let name = account.name
    let device: DeviceAuthorization
    switch await signIns.beginDevice(account) {
    case .success(let begun): device = begun
    case .failure(let failure): throw self.failure(failure, .device, name)
    }
    let wait = min(device.lifetime, LoginAttempt.lifetime)
    let deadline = time.now + wait
    slots[name]?.login?.announce(
      .device(
        .init(
          verificationURI: device.verificationURI, userCode: device.userCode,
          verificationURIComplete: device.verificationURIComplete,
          expiresAt: time.wall + Int(wait.components.seconds))))
    var pace = PollPace(device.interval)
    while true {
      try? await time.sleep(until: min(deadline, time.now + pace.pause + Self.pollMargin))
      guard isPending(attempt, account) else { throw .loginCanceled(name) }
      guard time.now < deadline else { throw .loginExpired(name, .device) }
      let sentAt = time.now
      switch await signIns.poll(device, account: account) {
      case .pending: pace.answered()
      case .slowDown(let interval): pace.slowDown(interval, longest: Self.longestInterval)
      case .denied(let message):
        throw ReplyError(.loginDenied, "\(name): the sign-in was refused (\(message))", hint: .again(name, .device))
      case .expired: throw .loginExpired(name, .device)
      // Not the end: the person may be typing the code while the network is down (RFC 8628, section 3.5).
      case .ended(.notSent), .ended(.unknown(_, retryAfter: nil)): pace.failed(nil, longest: Self.longestInterval)
      case .ended(.throttled(_, let wait)), .ended(.unknown(_, let wait)):
        pace.failed(wait, longest: Self.longestInterval)
      case .ended(let outcome): return LoginAnswer(outcome: outcome, sentAt: sentAt)
      }
    }
  }
}

/// How often a device flow asks.
struct PollPace {
  private var interval: Duration
  /// Until the next poll.
  private(set) var pause: Duration

  init(_ interval: Duration) {
    self.interval = interval
    pause = interval
  }

  mutating func answered() { pause = interval }

  /// For all polls from now on. What the provider says wins over 5 seconds more.
  mutating func slowDown(_ asked: Duration?, longest: Duration) {
    interval = min(max(interval, asked ?? interval + .seconds(5)), longest)
    pause = interval
  }

  /// No answer: twice as long until the next one.
  mutating func failed(_ retryAfter: Duration?, longest: Duration) {
    pause = min(max(pause * 2, retryAfter ?? .zero), max(longest, retryAfter ?? .zero))
  }
}

import KeyrackCore

extension TokenAnswer {
  /// What a poll was answered with (RFC 8628, section 3.5). The error counts whatever the status: GitHub sends it with
  /// 200, Google with 428 and 403. Only what would end the sign-in is not believed of a server that fails.
  func deviceOutcome(of response: HTTPResponse) -> DeviceOutcome {
    let found = Refusal(response, habits)
    switch found.error.flatMap({ Self.deviceErrors[$0.code] }) {
    case .pending: return .pending
    case .slowDown:
      return .slowDown(found.members?.number(["interval"]).map { AnswerLifetime.seconds($0, in: 1...60) })
    case .denied where response.status < 500: return .denied(message(found))
    case .expired where response.status < 500: return .expired
    case .unknownCode where response.status < 500: return .ended(refused(.request, message(found)))
    case .denied, .expired, .unknownCode, nil: return .ended(outcome(of: response))
    }
  }

  private enum DeviceError {
    case pending, slowDown, denied, expired, unknownCode
  }

  /// The RFC's, Microsoft's and GitHub's.
  private static let deviceErrors: [String: DeviceError] = [
    "authorization_pending": .pending, "slow_down": .slowDown,
    "access_denied": .denied, "authorization_declined": .denied,
    "expired_token": .expired, "code_expired": .expired,
    "bad_verification_code": .unknownCode, "incorrect_device_code": .unknownCode,
  ]
}

import KeyrackCore
import KeyrackProtocol

func grant(_ access: String, _ refresh: String? = nil, seconds: Int = 3600) -> TokenOutcome {
  .success(
    Grant(accessToken: Secret(access), lifetime: .seconds(seconds), refreshToken: refresh.map { Secret($0) }))
}

extension TokenOutcome {
  static func rejected(_ cause: Rejection.Cause, _ refreshToken: String? = nil) -> TokenOutcome {
    .rejected(Rejection(cause, "no", refreshToken: refreshToken.map { Secret($0) }))
  }
}

extension Result where Failure == ReplyError {
  var error: ReplyError? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
  var code: ErrorCode? { error?.code }
}

import KeyrackCore
import KeyrackProtocol

extension Caller {
  /// An ordinary program of the user.
  static let ordinary = Caller("/usr/bin/mbsync")

  convenience init(
    _ executable: String? = nil, unit: String? = nil, confinement: Program.Confinement? = nil, process: Int32 = 4711
  ) {
    self.init(
      process: process, evidence: .pidfd,
      program: Program(executable: executable, unit: unit, confinement: confinement))
  }
}

// What most tests ask as: an ordinary program of the user.
extension TokenCoordinator {
  func token(_ request: TokenOperation) async -> Result<TokenOperation.Reply, ReplyError> {
    await token(request, by: .ordinary)
  }

  func tokenAtOnce(_ request: TokenOperation) -> Result<TokenOperation.Reply, ReplyError>? {
    tokenAtOnce(request, by: .ordinary)
  }

  func login(
    _ request: LoginOperation, notify: @escaping @Sendable (LoginEvent) -> Void = { _ in }
  ) async -> Result<LoginOperation.Reply, ReplyError> {
    await login(request, by: .ordinary, notify: notify)
  }

  func logout(_ request: LogoutOperation) async -> Result<LogoutOperation.Reply, ReplyError> {
    await logout(request, by: .ordinary)
  }

  func keepSecret(_ request: SecretOperation) async -> Result<SecretOperation.Reply, ReplyError> {
    await keepSecret(request, by: .ordinary)
  }

  func status(_ request: StatusOperation) -> Result<StatusOperation.Reply, ReplyError> {
    status(request, by: .ordinary)
  }
}

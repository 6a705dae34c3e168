import Glibc
import KeyrackClient
import KeyrackProtocol

/// `keyrack wait`: returns when a token can be had.
struct WaitCommand {
  private let account: String
  private let deadline: ContinuousClock.Instant?

  init(_ invocation: Invocation) throws {
    account = invocation.account ?? ""
    deadline = try invocation.seconds(.timeout, in: 0...TokenOperation.maximumSeconds).map { .now + .seconds($0) }
  }

  func run(json: Bool) throws -> Int32 {
    // First this, so that nothing happens unseen between a refusal and the next look.
    let events = try Client()
    _ = try events.call(SubscribeOperation(accounts: [account]))
    var told: ErrorCode?
    while true {
      let answer = try Client().answer(to: TokenOperation(account: account, timeout: tokenLimit))
      guard case .failure(let error) = answer.result else { return 0 }
      guard error.mayPass, deadline.map({ $0 > .now }) ?? true else {
        if json { try Output.line(answer.line.bytes) }
        if !json { throw error }
        return error.code.exitStatus
      }
      if told != error.code { Output.note("keyrack: waiting: \(error.message)") }
      told = error.code
      _ = try events.nextEvent(before: pause(after: error))
    }
  }

  private var tokenLimit: Int {
    guard let deadline else { return TokenOperation.defaultTimeout }
    return max(1, min(TokenOperation.defaultTimeout, Int((deadline - .now).components.seconds)))
  }

  /// When to look again though nothing is told.
  private func pause(after error: ReplyError) -> ContinuousClock.Instant {
    let next = ContinuousClock.now + .seconds(min(60, max(1, error.retryAfter ?? (error.retryable ? 5 : 60))))
    return deadline.map { min($0, next) } ?? next
  }
}

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
    var events = try Client()
    _ = try events.call(subscription)
    var told: ErrorCode?
    while true {
      do {
        let answer = try Client(path: events.path).answer(to: TokenOperation(account: account, timeout: tokenLimit))
        guard case .failure(let error) = answer.result else { return 0 }
        guard error.mayPass, deadline.map({ $0 > .now }) ?? true else {
          return try giveUp(answer.line, error, json: json)
        }
        if told != error.code { Output.note("keyrack: waiting: \(error.message)") }
        told = error.code
        _ = try events.nextEvent(before: pause(after: error))
      } catch let error as ClientError where error.mayPass {
        let next = try events.afterRestart(answering: subscription, before: deadline)
        _ = try next.answer.result.get()
        events = next.client
      }
    }
  }

  private var subscription: SubscribeOperation { SubscribeOperation(accounts: [account]) }

  private func giveUp(_ line: Secret, _ error: ReplyError, json: Bool) throws -> Int32 {
    guard json else { throw error }
    try Output.line(line.bytes)
    return error.code.exitStatus
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

import Glibc
import KeyrackClient
import KeyrackProtocol

/// Asks for a token whenever it may be another one, and has the file follow.
struct TokenFileKeeper {
  /// A sleeping machine ends no wait: it is looked at the clock this often.
  private static let longestWait = Duration.seconds(60)

  private let operation: TokenOperation
  private let file: KeptTokenFile
  /// Whether the daemon has answered ever: one that never was there is an error.
  private var hasAnswer = false
  /// What was said last.
  private var told: String?
  private var pause = Duration.milliseconds(250)

  init(_ operation: TokenOperation, _ file: KeptTokenFile) {
    self.operation = operation
    self.file = file
  }

  /// As long as the daemon is there, and then some. Throws what no waiting helps against.
  mutating func keep() throws {
    do {
      // First this, so that nothing happens unseen between an answer and the next look.
      let events = try Client()
      _ = try events.call(SubscribeOperation(accounts: operation.account.map { [$0] }))
      while true { try wait(for: events, until: look()) }
    } catch let error as ClientError where hasAnswer && error.mayPass {
      tell(error.description)
    } catch let error as ReplyError where hasAnswer && error.mayPass {
      tell(error.message, hint: error.hint)
    }
    file.removeIfExpired()
    usleep(UInt32(pause / .microseconds(1)))
    pause = min(pause * 2, Self.longestWait)
  }

  /// Returns when to look again though nothing is told.
  private mutating func look() throws -> ContinuousClock.Instant {
    let answer = try Client().answer(to: operation)
    let isFirst = !hasAnswer
    hasAnswer = true
    pause = .milliseconds(250)
    defer { if isFirst { ServiceNotice.send("READY=1") } }
    switch answer.result {
    case .success(let reply):
      try file.write(reply.token, until: reply.expiresIn.map { .now + .seconds($0) })
      told = nil
      ServiceNotice.send("STATUS=good" + (reply.expiresAt.map { " until \(LocalTime.text($0))" } ?? ""))
      return .now + wait(for: reply)
    case .failure(let error):
      guard error.mayPass else { throw error }
      if error.retryable { file.removeIfExpired() } else { file.remove() }
      tell(error.message, hint: error.hint)
      return .now + .seconds(min(60, max(1, error.retryAfter ?? (error.retryable ? 5 : 60))))
    }
  }

  /// To when the daemon counts the token as short; then half of what is left of it, and half again.
  private func wait(for reply: TokenOperation.Reply) -> Duration {
    guard let left = reply.expiresIn else { return .seconds(3600) }
    let margin = operation.minimumValidity ?? TokenOperation.defaultMinimumValidity
    return .seconds(left > margin ? left - margin + 1 : max(1, left / 2))
  }

  private func wait(for events: Client, until end: ContinuousClock.Instant) throws {
    repeat {
      if try events.nextEvent(before: min(end, .now + Self.longestWait)) != nil { return }
    } while end > .now
  }

  private mutating func tell(_ reason: String, hint: String? = nil) {
    if told != reason {
      Output.note("keyrack: waiting: \(reason)")
      if let hint { Output.note("keyrack: hint: \(hint)") }
    }
    told = reason
    ServiceNotice.send("STATUS=waiting: \(reason.printable)")
  }
}

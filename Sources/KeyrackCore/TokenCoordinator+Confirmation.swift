import KeyrackProtocol

/// A question that the person has not answered yet, and whoever waits for the answer.
final class PendingConfirmation {
  var task: Task<Void, Never>?
  var answer: ConfirmationAnswer?
  var waiting = 0
}

/// Asking the person, where an account is configured so.
extension TokenCoordinator {
  /// Whether nobody has to be asked before that program gets a token.
  func isConfirmed(_ account: Account, for caller: Caller) -> Bool {
    guard account.policy.confirms else { return true }
    let question = question(account, caller)
    return confirmed[question].map { $0 > time.now } ?? false
  }

  /// Returns when the person has said yes. All requests of one program share a question, and one is asked at a time.
  func confirm(
    _ account: Account, for caller: Caller, before deadline: ContinuousClock.Instant
  ) async throws(ReplyError) {
    if isConfirmed(account, for: caller) { return }
    let question = question(account, caller)
    let pending = confirmations[question] ?? begin(question, by: caller)
    pending.waiting += 1
    let wake = await wait(for: .confirmation(question), before: deadline)
    pending.waiting -= 1
    if pending.waiting == 0, pending.answer == nil { withdraw(question, pending) }
    switch (wake, pending.answer) {
    case (.shuttingDown, _): throw .shuttingDown
    case (_, .yes): return
    case (_, .no): throw denied(account.name, .notConfirmed, caller)
    case (_, .impossible(let denial, let message)): throw denied(account.name, denial, caller, message)
    case (_, nil):
      throw ReplyError(
        .timeout, "\(account.name): the person has not answered within the time asked for", hint: "ask again")
    }
  }

  /// What the person has said no longer stands.
  func forgetConfirmations(of account: String) {
    for question in confirmed.keys where question.account == account { confirmed[question] = nil }
  }

  private func question(_ account: Account, _ caller: Caller) -> ConfirmationQuestion {
    ConfirmationQuestion(
      account: account.name, program: caller.program, lifetime: account.policy.confirmationLifetime)
  }

  private func begin(_ question: ConfirmationQuestion, by caller: Caller) -> PendingConfirmation {
    let pending = PendingConfirmation()
    confirmations[question] = pending
    let previous = lastConfirmation
    let task = Task { await self.ask(question, by: caller, pending, after: previous) }
    pending.task = task
    lastConfirmation = task
    return pending
  }

  private func ask(
    _ question: ConfirmationQuestion, by caller: Caller, _ pending: PendingConfirmation,
    after previous: Task<Void, Never>?
  ) async {
    await previous?.value
    if Task.isCancelled { return }
    let answer = await prompt.ask(question)
    if Task.isCancelled { return }
    pending.answer = answer
    confirmations[question] = nil
    if answer == .yes {
      let message = "the person said yes to \(question.program)"
      report(Event(.confirmed, message, account: question.account, caller: caller))
    }
    // What was asked, if it still is.
    let current = slots[question.account]?.account.policy
    if answer == .yes, let lifetime = question.lifetime, current?.confirmationLifetime == lifetime {
      confirmed = confirmed.filter { $0.value > time.now }
      confirmed[question] = time.now + lifetime
    }
    wake(.confirmation(question), .settled)
  }

  /// Nobody waits for the answer any more: the dialog goes, too.
  private func withdraw(_ question: ConfirmationQuestion, _ pending: PendingConfirmation) {
    pending.task?.cancel()
    confirmations[question] = nil
  }
}

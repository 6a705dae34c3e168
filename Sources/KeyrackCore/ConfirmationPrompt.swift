/// Asks the person at this machine.
package protocol ConfirmationPrompt: Sendable {
  /// Returns when the person has answered; soon where nobody can be asked, or where the task is canceled.
  func ask(_ question: ConfirmationQuestion) async -> ConfirmationAnswer
  /// ``ConfirmationAnswer/impossible(_:_:)`` where that is known without asking, else nil.
  func obstacle() async -> ConfirmationAnswer?
}

/// Whether a program may have a token of an account.
package struct ConfirmationQuestion: Sendable, Hashable {
  package let account: String
  package let program: Program
  /// How long a yes counts; nil: once.
  package let lifetime: Duration?

  package init(account: String, program: Program, lifetime: Duration? = nil) {
    self.account = account
    self.program = program
    self.lifetime = lifetime
  }
}

package enum ConfirmationAnswer: Sendable, Equatable {
  case yes
  case no
  /// Nobody could be asked; the message says why.
  case impossible(AccessDenial, String)
}

import KeyrackCore
import Synchronization

/// A person who answers when the test says so.
final class FakePrompt: ConfirmationPrompt {
  private let state = Mutex(State())

  private struct State {
    var asked: [ConfirmationQuestion] = []
    var obstacle: ConfirmationAnswer?
    var open: [(ConfirmationQuestion, CheckedContinuation<ConfirmationAnswer, Never>)] = []
  }

  /// All questions so far.
  var asked: [ConfirmationQuestion] { state.withLock { $0.asked } }
  /// Dialogs that are on the screen.
  var open: Int { state.withLock { $0.open.count } }

  func ask(_ question: ConfirmationQuestion) async -> ConfirmationAnswer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock {
          $0.asked.append(question)
          $0.open.append((question, continuation))
        }
      }
    } onCancel: {
      answer(.no)
    }
  }

  func obstacle() async -> ConfirmationAnswer? { state.withLock { $0.obstacle } }
  func become(_ obstacle: ConfirmationAnswer) { state.withLock { $0.obstacle = obstacle } }

  /// Answers the question that is on the screen.
  func answer(_ answer: ConfirmationAnswer) {
    let continuation = state.withLock { $0.open.isEmpty ? nil : $0.open.removeFirst().1 }
    continuation?.resume(returning: answer)
  }
}

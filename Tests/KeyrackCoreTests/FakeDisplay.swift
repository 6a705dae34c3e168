import KeyrackCore
import Synchronization

/// Keeps what it was to show and to close.
final class FakeDisplay: NoticeDisplay {
  private let all = Mutex<[NoticeBoard.Action]>([])

  func show(_ notice: Notice) { all.withLock { $0.append(.show(notice)) } }
  func close(_ subject: Notice.Subject) { all.withLock { $0.append(.close(subject)) } }

  /// What has come since the last call.
  func actions() async -> [NoticeBoard.Action] {
    await QueueExecutor.shared.settle()
    return all.withLock { actions in
      defer { actions = [] }
      return actions
    }
  }
}

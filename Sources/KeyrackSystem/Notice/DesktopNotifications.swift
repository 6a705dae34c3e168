package import KeyrackCore
import Synchronization

/// Shows notices as notifications of the desktop. Where there is no session bus, or no service for them on it, nothing is
/// shown.
///
/// The service may hang: a thread of its own waits for it, which is there only while there is something to say.
package final class DesktopNotifications: NoticeDisplay {
  private struct Change {
    let subject: Notice.Subject
    /// Nil: to be closed.
    let notice: Notice?
  }

  private struct State {
    /// In their order, and one for each subject.
    var waiting: [Change] = []
    var shown: [Notice.Subject: NotificationService.Shown] = [:]
    var isRunning = false
    /// Why it did not work the last time; nil: it did.
    var failure: String?
  }

  private let state = Mutex(State())
  private let log: any EventLog

  package init(log: any EventLog) { self.log = log }

  package func show(_ notice: Notice) { add(Change(subject: notice.subject, notice: notice)) }
  package func close(_ subject: Notice.Subject) { add(Change(subject: subject, notice: nil)) }

  private func add(_ change: Change) {
    let isFirst = state.withLock { state in
      state.waiting.removeAll { $0.subject == change.subject }
      state.waiting.append(change)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    do throws(SystemError) { try Thread.start("notices") { self.work() } } catch {
      state.withLock { $0 = State(shown: $0.shown, failure: $0.failure) }
      note(error.message)
    }
  }

  private func work() {
    var service: NotificationService?
    while let (change, shown) = next() {
      do throws(NotificationService.Failure) {
        let current = if let service { service } else { try NotificationService() }
        service = current
        try make(change, shown, by: current)
        note(nil)
      } catch {
        // What an answer that comes too late would mix up ends with the connection.
        service = nil
        note(error.message)
      }
    }
  }

  /// Of what was never shown nothing is to be closed.
  private func next() -> (Change, NotificationService.Shown?)? {
    state.withLock { state in
      state.waiting.removeAll { $0.notice == nil && state.shown[$0.subject] == nil }
      state.isRunning = !state.waiting.isEmpty
      guard state.isRunning else { return nil }
      let change = state.waiting.removeFirst()
      return (change, state.shown[change.subject])
    }
  }

  private func make(
    _ change: Change, _ shown: NotificationService.Shown?, by service: NotificationService
  ) throws(NotificationService.Failure) {
    guard let notice = change.notice else {
      state.withLock { $0.shown[change.subject] = nil }
      if let shown { try service.close(shown) }
      return
    }
    let new = try service.show(notice, replacing: shown)
    state.withLock { $0.shown[change.subject] = new }
  }

  /// That there is no desktop is no news, and told once.
  private func note(_ failure: String?) {
    let last = state.withLock { state in
      defer { state.failure = failure }
      return state.failure
    }
    guard let failure, failure != last else { return }
    log.record(Event(.noticeFailed, "no desktop notification: \(failure)", level: .info))
  }
}

import KeyrackProtocol

/// Showing the person what they should see to.
extension TokenCoordinator {
  func post(_ event: SessionEvent) {
    let isExpiring = event.account.flatMap { standings[$0]?.isExpiring } ?? false
    perform(board.happened(event, keyring: keyring.state, isExpiring: isExpiring, at: time.now))
  }

  /// Somebody asks for an account that only the keyring knows.
  func keyringMissed(by name: String) {
    perform(board.needed(by: name, keyring: keyring.state, at: time.now))
  }

  func noticesConfigured() { perform(board.configured(notices, at: time.now)) }

  /// What is shown stays.
  func endReminders() { reminder?.cancel() }

  private func perform(_ actions: [NoticeBoard.Action]) {
    for action in actions {
      switch action {
      case .show(let notice): display.show(notice)
      case .close(let subject): display.close(subject)
      }
    }
    setReminder()
  }

  private func setReminder() {
    guard board.nextReminder != reminderAt, !isStopping else { return }
    reminder?.cancel()
    reminderAt = board.nextReminder
    guard let next = board.nextReminder else { return }
    reminder = Task {
      do { try await time.sleep(until: next) } catch { return }
      reminderAt = nil
      perform(board.reminded(at: time.now))
    }
  }
}

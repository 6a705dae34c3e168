package import KeyrackProtocol

/// What the person is shown of all that changes, and when they are reminded. A pure value.
package struct NoticeBoard: Sendable {
  /// After so many a notice is let be.
  package static let maximumReminders = 3

  package enum Action: Sendable, Equatable {
    /// In place of what is shown of the same subject.
    case show(Notice)
    case close(Notice.Subject)
  }

  private struct Entry {
    let notice: Notice
    var reminders = 0
    /// Of the next one.
    var remindAt: ContinuousClock.Instant?
  }

  private var settings: NoticeSettings
  /// What is to be seen to, shown or not.
  private var entries: [Notice.Subject: Entry] = [:]
  /// The accounts that need the keyring.
  private var needy: Set<String> = []

  package init(_ settings: NoticeSettings = NoticeSettings()) { self.settings = settings }

  /// When ``reminded(at:)`` has something to do.
  package var nextReminder: ContinuousClock.Instant? {
    settings.isShown ? entries.values.compactMap(\.remindAt).min() : nil
  }

  /// `isExpiring` is of the account, and after the event.
  package mutating func happened(
    _ event: SessionEvent, keyring: KeyringStatus.State, isExpiring: Bool, at now: ContinuousClock.Instant
  ) -> [Action] {
    guard let account = event.account else {
      return event.event == .keyring ? keyringChanged(to: keyring, at: now) : []
    }
    switch event.event {
    case .loginRequired:
      return satisfied(account)
        + show(.loginRequired(account: account, event.reason.flatMap(LoginReason.init)), at: now)
    case .expiring: return show(.expiring(account: account), at: now)
    case .refreshFailed:
      let needsKeyring =
        event.reason.flatMap(AccountState.init).map { [.keyringLocked, .unsaved].contains($0) } ?? false
      return close(.account(account)) { $0.isLoginRequired }
        + (needsKeyring ? needed(by: account, keyring: keyring, at: now) : satisfied(account))
    case .recovered: return close(.account(account)) { $0.isLoginRequired } + satisfied(account)
    case .refreshed: return close(.account(account)) { !$0.isLoginRequired && !isExpiring }
    case .login, .logout: return close(.account(account)) { _ in true } + satisfied(account)
    case .keyring, .config: return []
    }
  }

  /// An account cannot do without the keyring any longer.
  package mutating func needed(
    by account: String, keyring: KeyringStatus.State, at now: ContinuousClock.Instant
  ) -> [Action] {
    guard keyring != .ok else { return [] }
    needy.insert(account)
    return show(.keyring(isLocked: keyring == .locked), at: now)
  }

  /// The notices that are to be shown once more.
  package mutating func reminded(at now: ContinuousClock.Instant) -> [Action] {
    let due = entries.filter { $0.value.remindAt.map { $0 <= now } ?? false }
    for (subject, entry) in due {
      let reminders = entry.reminders + 1
      let next = reminders < Self.maximumReminders ? settings.interval.map { now + $0 } : nil
      entries[subject] = Entry(notice: entry.notice, reminders: reminders, remindAt: next)
    }
    return settings.isShown ? due.values.map(\.notice).sorted { $0.title < $1.title }.map(Action.show) : []
  }

  /// The configuration was read again.
  package mutating func configured(_ new: NoticeSettings, at now: ContinuousClock.Instant) -> [Action] {
    let old = settings
    settings = new
    guard old.isShown != new.isShown || old.interval != new.interval else { return [] }
    entries = entries.mapValues { Entry(notice: $0.notice, remindAt: new.interval.map { now + $0 }) }
    if old.isShown == new.isShown { return [] }
    return entries.values.map(\.notice).sorted { $0.title < $1.title }
      .map { new.isShown ? .show($0) : .close($0.subject) }
  }

  private mutating func keyringChanged(to state: KeyringStatus.State, at now: ContinuousClock.Instant) -> [Action] {
    guard state == .ok else {
      return entries[.keyring] == nil ? [] : show(.keyring(isLocked: state == .locked), at: now)
    }
    needy = []
    return close(.keyring) { _ in true }
  }

  private mutating func satisfied(_ account: String) -> [Action] {
    needy.remove(account)
    return needy.isEmpty ? close(.keyring) { _ in true } : []
  }

  private mutating func show(_ notice: Notice, at now: ContinuousClock.Instant) -> [Action] {
    guard entries[notice.subject]?.notice != notice else { return [] }
    entries[notice.subject] = Entry(notice: notice, remindAt: settings.interval.map { now + $0 })
    return settings.isShown ? [.show(notice)] : []
  }

  private mutating func close(_ subject: Notice.Subject, where isOver: (Notice) -> Bool) -> [Action] {
    guard let entry = entries[subject], isOver(entry.notice) else { return [] }
    entries[subject] = nil
    return settings.isShown ? [.close(subject)] : []
  }
}

extension Notice {
  fileprivate var isLoginRequired: Bool { if case .loginRequired = self { true } else { false } }
}

/// How the person is told of changes.
package struct NoticeSettings: Sendable, Equatable {
  /// Is handed each event; run by the shell. Nil: none.
  package var command: String?
  /// Whether notices are shown on the desktop.
  package var isShown: Bool
  /// Between reminders of the same; nil: none.
  package var interval: Duration?

  package init(command: String? = nil, isShown: Bool = true, interval: Duration? = .seconds(86_400)) {
    self.command = command
    self.isShown = isShown
    self.interval = interval
  }
}

/// How the person is told of changes.
package struct NoticeSettings: Sendable, Equatable {
  /// Is handed each event; run by the shell. Nil: none.
  package var command: String?

  package init(command: String? = nil) { self.command = command }
}

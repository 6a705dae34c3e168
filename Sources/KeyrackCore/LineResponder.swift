/// Answers request lines.
package protocol LineResponder: Sendable {
  /// Called on the loop's thread, with a line that has no line feed. `caller` is who sent it. `send` is to be called on that thread too, at once or
  /// later, exactly once with the reply of each line, and before that with as many events as there are.
  func respond(to line: [UInt8], from caller: Caller, send: @escaping @Sendable (AnswerLine) -> Void)
}

/// A whole line with its line feed.
package enum AnswerLine: Sendable {
  case event([UInt8])
  /// The last line that answers a request.
  case reply([UInt8])
}

/// Answers request lines.
package protocol LineResponder: Sendable {
  /// Called on the loop's thread, with a line that has no line feed. `caller` is who sent it. `send` is to be called on that
  /// thread too, at once or later, exactly once with the reply of each line (or with its end), and before that with as many
  /// events as there are.
  func respond(to line: [UInt8], from caller: Caller, send: AnswerSink)
}

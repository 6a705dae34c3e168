/// Answers request lines.
package protocol LineResponder: Sendable {
  /// Called on the loop's thread, with a line that has no line feed. `reply` is to be called on that thread too, at once
  /// or later, exactly once for each line; it takes a whole line with its line feed.
  func respond(to line: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void)
}

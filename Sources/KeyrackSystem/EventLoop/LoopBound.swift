/// Carries something that is no `Sendable` to where the loop's thread takes it out again.
///
/// Reaching for the value anywhere else ends the process.
// The value is reached on one thread only, which `value` checks. It may be released on another one: what is put in
// here has no `deinit` that minds.
package struct LoopBound<Value>: @unchecked Sendable {
  private let contents: Value
  private let loop: EventLoop

  package init(_ value: Value, on loop: EventLoop) {
    contents = value
    self.loop = loop
  }

  package var value: Value {
    loop.checkIsolated()
    return contents
  }
}

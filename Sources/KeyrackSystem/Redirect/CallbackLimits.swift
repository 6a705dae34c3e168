/// What a browser that comes back is granted.
package struct CallbackLimits: Sendable {
  /// On one socket. More wait in the kernel until one of them ends.
  package var connections = 32
  /// For a whole request to come, and for its answer to be taken.
  package var connection = Duration.seconds(10)
  /// For the receiver; then the browser is sent back to the terminal.
  package var decision = Duration.seconds(25)
  /// Of a request's head, in bytes.
  static let head = 16 << 10
  /// Of a form, in bytes.
  static let body = 16 << 10

  package init() {}
}

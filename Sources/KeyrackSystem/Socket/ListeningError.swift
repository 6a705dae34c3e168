/// Why there is no listening socket.
package enum ListeningError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another daemon serves this directory or this socket; exit status 69.
  case alreadyRunning
  /// What is wrong, and with which path.
  case refused(String)

  package var description: String {
    switch self {
    case .alreadyRunning: "already running"
    case .refused(let message): message
    }
  }
}

/// Why the daemon gave no answer. What it did answer, if only to refuse, is a `ReplyError`.
public enum ClientError: Error, Sendable, Hashable {
  /// Neither `$KEYRACK_SOCKET` nor `$XDG_RUNTIME_DIR` says where the socket is.
  case unknownSocket
  /// Nobody listens there.
  case notRunning(path: String)
  case cannotConnect(path: String, reason: String)
  /// Another user listens there. Nothing was sent.
  case foreignSocket(path: String, user: UInt32)
  /// It was closed before the reply had come. Whether the daemon did what was asked is unknown.
  case connectionLost(path: String)
  /// It did not answer in time, or did not even take the connection. It may still do what was asked.
  case noAnswer(path: String, seconds: Int)
  /// What came is no reply of version 1 of the protocol.
  case protocolViolation(path: String, what: String)
}

extension ClientError: CustomStringConvertible {
  /// For people, in one line.
  public var description: String {
    switch self {
    case .unknownSocket: "could not tell where the socket is: neither KEYRACK_SOCKET nor XDG_RUNTIME_DIR is set"
    case .notRunning(let path): "keyrackd is not running: nobody listens on \(path)"
    case .cannotConnect(let path, let reason): "could not connect to \(path): \(reason)"
    case .foreignSocket(let path, let user): "refused to use \(path): it belongs to another user (uid \(user))"
    case .connectionLost(let path): "keyrackd closed the connection before it answered (\(path))"
    case .noAnswer(let path, let seconds): "keyrackd did not answer within \(seconds) s (\(path))"
    case .protocolViolation(let path, let what): "what listens on \(path) does not speak Keyrack's protocol: \(what)"
    }
  }

  /// For people: what to do next.
  public var hint: String? {
    switch self {
    case .unknownSocket: "log in by way of systemd-logind, or set KEYRACK_SOCKET"
    case .notRunning: "systemctl --user start keyrack.socket, or keyrackd by hand"
    case .connectionLost, .noAnswer: "journalctl --user -u keyrack.service -e"
    case .cannotConnect, .foreignSocket, .protocolViolation: nil
    }
  }
}

extension ClientError {
  /// Whether the daemon may come back.
  package var mayPass: Bool {
    switch self {
    case .notRunning, .cannotConnect, .connectionLost, .noAnswer: true
    case .unknownSocket, .foreignSocket, .protocolViolation: false
    }
  }
}

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
  /// What came is a reply, and not of the form that this version knows.
  case unknownReply(path: String)
}

extension ClientError: CustomStringConvertible {
  /// For people, in one line.
  public var description: String {
    switch self {
    case .unknownSocket:
      "could not tell where the socket is: neither KEYRACK_SOCKET is set, nor XDG_RUNTIME_DIR to an absolute path"
    case .notRunning(let path): "keyrackd is not running: nobody listens on \(path)"
    case .cannotConnect(let path, let reason): "could not connect to \(path): \(reason)"
    case .foreignSocket(let path, let user): "refused to use \(path): it belongs to another user (uid \(user))"
    case .connectionLost(let path): "keyrackd closed the connection before it answered (\(path))"
    case .noAnswer(let path, let seconds): "keyrackd did not answer within \(seconds) s (\(path))"
    case .protocolViolation(let path, let what): "what listens on \(path) does not speak Keyrack's protocol: \(what)"
    case .unknownReply(let path): "keyrackd's answer is of no form that this version knows (\(path))"
    }
  }

  /// For people: what to do next.
  public var hint: String? {
    switch self {
    case .unknownSocket: "log in by way of systemd-logind, or set KEYRACK_SOCKET"
    case .notRunning: "systemctl --user start keyrack.socket, or keyrackd by hand"
    case .connectionLost: "journalctl --user -u keyrack.service -e"
    case .noAnswer: "systemctl --user restart keyrack.service; what it was at: journalctl --user -u keyrack.service -e"
    case .cannotConnect: "keyrack check"
    case .foreignSocket: "run this as that user, or see what KEYRACK_SOCKET and XDG_RUNTIME_DIR are set to"
    case .unknownReply: "see whether they are of different versions (keyrack version), and install the same one of both"
    case .protocolViolation: "end what listens there (ss -xlp), then systemctl --user restart keyrack.socket"
    }
  }
}

extension ClientError {
  /// Whether the daemon may come back.
  package var mayPass: Bool {
    switch self {
    case .notRunning, .cannotConnect, .connectionLost, .noAnswer: true
    case .unknownSocket, .foreignSocket, .protocolViolation, .unknownReply: false
    }
  }
}

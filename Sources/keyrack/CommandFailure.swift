import KeyrackClient
import KeyrackProtocol

/// Why the command did not do what it was told, as it is shown.
struct CommandFailure: Error {
  let status: Int32
  let message: String
  let hint: String?

  init(status: Int32, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = message
    self.hint = hint
  }

  /// What was typed makes no sense.
  static func usage(_ message: String, of command: Command?) -> Self {
    usage(message, of: command.map(HelpTopic.command) ?? .overview)
  }

  static func usage(_ message: String, of topic: HelpTopic) -> Self {
    Self(status: 2, message, hint: (["keyrack"] + topic.words + ["--help"]).joined(separator: " "))
  }

  /// Whatever a command throws.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let refusal as Call.Refusal: self.init(refusal.error)
    case let error as ReplyError: self.init(error)
    case let error as ClientError: self.init(error)
    default: self.init(status: 1, "\(error)")
    }
  }

  init(_ error: ReplyError) {
    let wait = error.retryAfter.map { "try again in \(RelativeTime.length($0))" }
    let hint = (error.hint ?? error.code.usualHint).map { hint in wait.map { "\(hint) (\($0))" } ?? hint }
    self.init(status: error.code.exitStatus, error.message, hint: hint ?? wait)
  }

  init(_ error: ClientError) {
    let status: Int32 =
      switch error {
      case .unknownSocket, .notRunning, .connectionLost: 7
      case .noAnswer: 4
      case .cannotConnect, .foreignSocket, .protocolViolation, .unknownReply: 1
      }
    self.init(status: status, error.description, hint: error.hint)
  }
}

extension ErrorCode {
  /// Where the daemon has none: one that is older does not know what it lacks.
  fileprivate var usualHint: String? {
    self == .unknownOperation
      ? "keyrackd is of another version (keyrack version); systemctl --user restart keyrack.service" : nil
  }
}

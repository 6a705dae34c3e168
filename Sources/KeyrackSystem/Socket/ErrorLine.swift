import KeyrackProtocol

/// Replies that the socket itself gives, before anything was understood.
enum ErrorLine {
  static let tooLong = line(.lineTooLong, "a line may have at most \(LineBuffer.maximumLength) bytes")
  static let busy = line(
    .busy, "keyrackd has too many connections", hint: "end programs that keep theirs open, or try again later")

  static let otherUser = line(
    .forbidden, "this keyrackd belongs to another user", hint: "ask as that user, not as root", reason: "other_user")

  private static func line(
    _ code: ErrorCode, _ message: String, hint: String? = nil, reason: String? = nil
  ) -> [UInt8] {
    let error = ReplyError(code, message, hint: hint, reason: reason)
    return Reply<VersionOperation.Reply>(id: nil, result: .failure(error)).line()
  }
}

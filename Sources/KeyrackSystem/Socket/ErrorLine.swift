import KeyrackProtocol

/// Replies that the socket itself gives, before anything was understood.
enum ErrorLine {
  static let tooLong = line(.lineTooLong, "a line may have at most \(LineBuffer.maximumLength) bytes")
  static let busy = line(
    .busy, "keyrackd has too many connections", hint: "end programs that keep theirs open, or try again later")

  private static func line(_ code: ErrorCode, _ message: String, hint: String? = nil) -> [UInt8] {
    let reply = Reply<VersionOperation.Reply>(id: nil, result: .failure(ReplyError(code, message, hint: hint)))
    return reply.line()
  }
}

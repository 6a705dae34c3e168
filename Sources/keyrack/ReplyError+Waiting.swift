import KeyrackProtocol

extension ReplyError {
  /// Whether something that is told of, or time, may change it.
  var mayPass: Bool {
    retryable || [.loginRequired, .keyringLocked, .sessionEnded, .configError].contains(code)
  }
}

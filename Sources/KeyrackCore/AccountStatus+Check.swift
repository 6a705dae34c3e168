import KeyrackProtocol

extension AccountStatus {
  /// What `check` says of it: not who it is, and nothing that a sign-in shows to the person. `wall`: Unix seconds.
  func check(wall: Int) -> Check {
    let name = "account \(account)"
    let login = "keyrack login \(account)"
    switch state {
    case .active, .refreshing: return .ok(name, "signed in" + (remembered ? "" : ", in the memory of keyrackd alone"))
    case .signingIn:
      return .warn(name, "a sign-in is under way", hint: "finish it, or keyrack cancel \(account)")
    case .signedOut:
      guard lastError == nil else {
        return .fail(name, trouble, hint: "\(login) replaces it, keyrack logout \(account) removes it")
      }
      return .warn(name, "not signed in", hint: login)
    case .loginRequired: return .fail(name, trouble, hint: login)
    case .keyringLocked: return .fail(name, "waits for the keyring", hint: "see keyring")
    case .unknownOutcome:
      return .warn(name, "the answer to its last refresh was lost, and it will be asked again", hint: retry(wall))
    case .throttled, .degraded: return .warn(name, "cannot be refreshed now: \(trouble)", hint: retry(wall))
    case .unsaved:
      return .warn(
        name, "its newest refresh token is not in the keyring, and lost if keyrackd stops", hint: "see keyring")
    }
  }

  /// The last error, which names the account, too.
  private var trouble: String {
    guard let message = lastError?.message else { return "a sign-in is needed" }
    let prefix = "\(account): "
    return message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
  }

  private func retry(_ wall: Int) -> String {
    let wait = nextAttemptAt.map { " in \(max(1, $0 - wall)) s" } ?? ""
    return "nothing has to be done: it is tried again\(wait)"
  }
}

import KeyrackProtocol

extension AccountStatus {
  /// What `check` says of it: not who it is, and nothing that a sign-in shows to the person. `wall`: Unix seconds.
  ///
  /// What waits for a keyring that is in order by now, as another line says then, is tried again soon.
  func check(wall: Int, keyringFails: Bool) -> Check {
    let name = "account \(account)"
    let login = "keyrack login \(account)"
    if state == .loginRequired && pendingLogin != nil { return underWay(name) }
    switch state {
    case .active, .refreshing: return .ok(name, "signed in" + (remembered ? "" : ", in the memory of keyrackd alone"))
    case .signingIn: return underWay(name)
    case .signedOut:
      guard lastError == nil else {
        return .fail(name, why, hint: lastError?.hint ?? login)
      }
      return .warn(name, "not signed in", hint: login)
    case .loginRequired: return .fail(name, why, hint: lastError?.hint ?? login)
    case .keyringLocked:
      return .fail(name, "waits for the keyring", hint: keyringFails ? "see keyring" : retry(wall))
    case .unknownOutcome:
      return .warn(
        name, "the answer to its last refresh was lost" + (trouble.map { " (\($0))" } ?? ""), hint: retry(wall))
    case .throttled, .degraded:
      // What does not pass by itself is not tried again soon.
      guard lastError?.code.isRetryable != false else {
        return .fail(name, "cannot be refreshed: \(why)", hint: lastError?.hint ?? retry(wall))
      }
      return .warn(name, "cannot be refreshed now: \(why)", hint: retry(wall))
    case .unsaved:
      return .warn(
        name, "its newest refresh token is not in the keyring, and lost if keyrackd stops",
        hint: keyringFails ? "see keyring" : retry(wall))
    }
  }

  private func underWay(_ name: String) -> Check {
    .warn(name, "a sign-in is under way", hint: "finish it, or keyrack cancel \(account)")
  }

  private var why: String { trouble ?? "a sign-in is needed" }

  private func retry(_ wall: Int) -> String {
    let wait = nextAttemptAt.map { " in \(max(1, $0 - wall)) s" } ?? ""
    return "nothing has to be done: it is tried again\(wait)"
  }
}

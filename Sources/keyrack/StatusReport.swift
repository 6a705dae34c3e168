import KeyrackProtocol

/// A status for people: a table of the accounts, then a line for each thing that is not as it should be.
struct StatusReport {
  private let status: StatusOperation.Reply
  /// Unix seconds.
  private let now: Int

  init(_ status: StatusOperation.Reply, now: Int) {
    self.status = status
    self.now = now
  }

  var text: String {
    let lines = table + (notes.isEmpty || table.isEmpty ? [] : [""]) + notes.map(\.printable)
    return lines.map { $0 + "\n" }.joined()
  }

  private var table: [String] {
    guard !status.accounts.isEmpty else { return [] }
    return Table.lines([["ACCOUNT", "PROVIDER", "STATE", "EXPIRES", "SUBJECT"]] + status.accounts.map(row))
  }

  private func row(_ account: AccountStatus) -> [String] {
    let expiry = account.expiresAt.map { relative($0) } ?? "-"
    return [
      account.account, account.provider, account.stateInWords, expiry,
      account.person?.name ?? account.person?.email ?? account.subject ?? "-",
    ]
  }

  private var notes: [String] {
    status.accounts.flatMap(notes) + keyring + status.outbox.map(owed)
      + status.orphans.map { "\($0): in the keyring, but not configured; to remove it: keyrack logout \($0)" }
  }

  private func notes(_ account: AccountStatus) -> [String] {
    var notes: [String] = []
    if let login = account.pendingLogin {
      let end = login.expiresAt.map { ", ends \(relative($0))" } ?? ""
      notes.append(
        "a sign-in (\(login.method.rawValue.words)) is under way\(end); to end it: keyrack cancel \(account.account)")
    }
    if let error = account.lastError, let trouble = account.trouble {
      let what = account.state == .unknownOutcome ? "the answer to its last refresh was lost: " : ""
      notes.append("\(what)\(trouble) (\(past(error.at)))")
    }
    if let advice = account.advice { notes.append(advice) }
    if let next = account.nextAttemptAt { notes.append("next attempt \(relative(max(next, now)))") }
    if account.remembered && !account.saved {
      notes.append("not in the keyring yet: the session would be lost if keyrackd stopped now")
    }
    if account.hasSession && !account.remembered {
      notes.append("kept in memory only: it ends when keyrackd stops")
    }
    if let end = account.refreshExpiresAt { notes.append("sign in again needed \(relative(end))") }
    return notes.map { "\(account.account): \($0)" }
  }

  private var keyring: [String] {
    guard status.keyring.state != .ok else { return status.keyring.message.map { ["keyring: \($0)"] } ?? [] }
    let length = status.keyring.since.map { " for \(RelativeTime.length(max(1, now - $0)))" } ?? ""
    let message = status.keyring.message.map { ": \($0)" } ?? ""
    return ["keyring: \(status.keyring.state.rawValue)\(length)\(message)", "keyring: what to do: keyrack check"]
  }

  private func owed(_ revocation: OwedRevocation) -> String {
    let next = revocation.nextAttemptAt.map { "; next attempt \(relative(max($0, now)))" } ?? ""
    let error = revocation.lastError.map { "; last error: \($0.message)" } ?? ""
    return
      "\(revocation.account): signed out \(past(revocation.since)), the provider is still to be told\(next)\(error)"
  }

  private func past(_ time: Int) -> String { RelativeTime.past(time, now: now) }
  private func relative(_ time: Int) -> String { RelativeTime.text(time, now: now) }
}

extension AccountStatus {
  fileprivate var hasSession: Bool {
    switch state {
    // Of what is not remembered, no keyring is asked.
    case .signedOut, .signingIn, .keyringLocked: false
    case .loginRequired, .unknownOutcome, .throttled, .degraded, .unsaved, .refreshing, .active: true
    }
  }

  /// What the person can do, where that is more than to wait.
  fileprivate var advice: String? {
    if state == .loginRequired {
      return pendingLogin == nil ? "to sign in: \(lastError?.hint ?? "keyrack login \(account)")" : nil
    }
    // What is in the keyring, and cannot be used, stays so.
    guard let error = lastError, !error.code.isRetryable || state == .signedOut else { return nil }
    return error.hint.map { "what to do: \($0)" }
  }

  var stateInWords: String {
    // The keyring may be unlocked, and hang.
    let words = state == .keyringLocked ? "waits for keyring" : state.rawValue.words
    return words + (reason.map { " (\($0.words))" } ?? "")
  }
}

extension String {
  /// A name of the protocol as words.
  var words: String { String(map { $0 == "_" ? " " : $0 }) }
}

import KeyrackProtocol

/// What goes into the journal.
extension TokenCoordinator {
  /// Writes it, unless there were too many of its kind lately: then it is counted.
  func report(_ event: Event) { write(throttle.admit(event)) }

  /// A program gets a token. For one that has just got the same this costs no more than to look that up.
  func granted(_ token: Secret, _ request: TokenOperation, of slot: AccountSlot, to caller: Caller) {
    var key = EventThrottle.Key(.tokenGranted, account: slot.account.name, program: caller.program)
    key.scope = request.scope
    key.tokenKind = request.kind
    if let resource = request.resource { key.resources = resource.uris }
    if throttle.counts(key, token, by: caller) { return }
    let what = request.kind == .id ? "id token" : "token"
    var event = Event(
      .tokenGranted, "\(what) given to \(caller.program)", account: slot.account.name, session: slot.session?.id,
      caller: caller, token: fingerprints.fingerprint(of: token))
    event.scope = key.scope
    event.resources = key.resources
    write(throttle.admit(event, as: key, token, by: caller))
  }

  /// A program does not get what it asks for: the error that says so. `name`: of the account that was asked for, whether
  /// there is one or not.
  func denied(_ name: String?, _ denial: AccessDenial, _ caller: Caller, _ detail: String? = nil) -> ReplyError {
    let error = ReplyError.forbidden(name, denial, caller.program, detail)
    let account = name.map { String($0.prefix(64)) }
    var key = EventThrottle.Key(.denied, account: account, program: caller.program)
    key.reason = denial.rawValue
    if throttle.counts(key, by: caller) { return error }
    let event = Event(
      .denied, "denied to \(caller.program): \(denial.rawValue)", account: account, caller: caller,
      reason: denial.rawValue)
    write(throttle.admit(event, as: key, by: caller))
    return error
  }

  func reportSignIn(_ reply: LoginOperation.Reply, by caller: Caller) {
    let account = reply.account
    var event = Event(
      .signedIn, "signed in by \(caller.program)", account: account, session: heldSession(of: account)?.id,
      caller: caller)
    event.scope = reply.scope
    report(event)
  }

  func reportSignIn(_ error: ReplyError, to name: String, by caller: Caller) {
    let code = error.code.rawValue
    let isOther = error.code == .subjectMismatch
    // Who it is stands in no journal.
    let why = isOther ? "somebody else signed in than last time" : error.message(without: name)
    report(
      Event(
        isOther ? .subjectMismatch : .signInFailed, "sign-in by \(caller.program) failed: \(why)", account: name,
        caller: caller, reason: code))
  }

  /// The provider no longer takes the refresh token of a session.
  func reportDenial(of id: SessionID, _ name: String) {
    guard let (reason, error) = self[id, of: name]?.denial else { return }
    let kind = reason == .lostRotation ? Event.Kind.reuseDetected : .loginRequired
    // The name stands in a field of its own.
    report(Event(kind, error.message(without: name), account: name, session: id, reason: reason.rawValue))
  }

  /// The repeats that were counted of an account come before what ends its session.
  func writeCounts(of name: String) { write(throttle.ended(account: name)) }

  /// The last ones before the daemon ends.
  package func writeCounts() {
    counting?.cancel()
    for event in throttle.windowEnded() { log.record(event) }
  }

  private func write(_ events: [Event]) {
    for event in events { log.record(event) }
    if counting == nil, !isStopping, !throttle.isIdle { counting = Task { await count() } }
  }

  private func count() async {
    while !throttle.isIdle {
      do { try await time.sleep(until: time.now + EventThrottle.window) } catch { break }
      for event in throttle.windowEnded() { log.record(event) }
    }
    counting = nil
  }
}

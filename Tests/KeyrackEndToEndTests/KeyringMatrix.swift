import Glibc
import KeyrackProtocol
import TestSupport

/// One refresh during which the keyring misbehaves at one call, and one when it is well again.
struct KeyringMatrixRow: Sendable {
  /// How the refresh finds the keyring.
  enum Start: String, CaseIterable {
    case ready
    /// What a helper does only once has to be done.
    case newHelper = "new helper"
    /// And the person unlocks it.
    case locked
  }

  let start: Start
  /// The method.
  let call: String
  let fault: FakeSecretService.Fault

  /// What of the daemon's deadlines it takes at least, in seconds: 10 has a call, 2 a prompt.
  var wait: Int {
    switch fault.kind {
    case .hangs: 10
    case .asks(.isAway): call == "CreateItem" ? 10 : 2
    case .fails, .failsFromNowOn, .leaves, .restarts, .asks, .killsCaller: 0
    }
  }

  // MARK: All of them

  /// Whatever may happen at a call. A single failure is as one that lasts: nothing is tried again because of it.
  private static let kinds: [FakeSecretService.Fault.Kind] = [
    .fails("org.freedesktop.Secret.Error.IsLocked"), .failsFromNowOn, .hangs, .leaves, .restarts,
    .asks(.accepts), .asks(.dismisses), .asks(.isAway), .killsCaller,
  ]

  /// All kinds at all calls. What a refresh calls is found out: it is libsecret's choice.
  static func all() async throws -> [KeyringMatrixRow] {
    var rows: [KeyringMatrixRow] = []
    for start in Start.allCases {
      let known = Set(rows.map(\.call))
      for (index, call) in try await calls(start).enumerated() where !known.contains(call) {
        rows += kinds.map { .init(start: start, call: call, fault: .init(at: index + 1, $0)) }
        if call == "CreateItem" { rows += stored(at: index + 1).map { .init(start: start, call: call, fault: $0) } }
      }
    }
    return rows
  }

  /// A store that has its effect, or half of it, and is never acknowledged.
  private static func stored(at call: Int) -> [FakeSecretService.Fault] {
    [.fails("org.freedesktop.DBus.Error.Failed"), .hangs, .leaves, .restarts, .killsCaller].map {
      .init(at: call, $0, after: .done)
    }
      + [.hangs, .leaves, .restarts].map { .init(at: call, $0, after: .half) }
  }

  private static func calls(_ start: Start) async throws -> [String] {
    let (fixture, service, first) = try await signedIn(start)
    service.expectCalls()
    _ = try await fixture.token(insteadOf: first)
    return service.calls
  }

  private static func signedIn(_ start: Start) async throws -> (KeyrackFixture, FakeSecretService, String) {
    let session = try await PrivateSession(.withoutService)
    let service = try FakeSecretService(in: session)
    let fixture = try await KeyrackFixture(in: session)
    try await fixture.signIn()
    let token = try await fixture.token()
    switch start {
    case .ready: break
    case .newHelper: kill(try await fixture.helper(), SIGKILL)
    case .locked: service.lock()
    }
    return (fixture, service, token)
  }

  // MARK: One of them

  struct Outcome: Sendable {
    var reply = ""
    /// How long it took to come.
    var took = Duration.zero
    /// How many requests the provider had got by then.
    var requests = 0
    /// What ought not to be.
    var problems: [String] = []
  }

  /// What a caller may be told of a keyring that is not well. Never to sign in again.
  private static let codes: Set<ErrorCode> = [
    .keyringLocked, .keyringUnavailable, .keyringError, .temporarilyUnavailable, .timeout,
  ]

  func run() async -> Outcome {
    var outcome = Outcome()
    do { try await run(&outcome) } catch { outcome.problems.append("\(error)") }
    return outcome
  }

  private func run(_ outcome: inout Outcome) async throws {
    let (fixture, service, first) = try await Self.signedIn(start)
    service.expectCalls(fault)
    var last = first
    (outcome.took, (outcome.reply, last)) = try await timed { try await Self.refresh(fixture, insteadOf: first) }
    outcome.requests = try await Self.refreshes(fixture).count
    if (outcome.reply == "token") != (outcome.requests == 1) { outcome.problems.append("spent, or not, in vain") }
    if case .failsFromNowOn = fault.kind {
      let (reply, _) = try await Self.refresh(fixture, insteadOf: last)
      // Nothing is spent on what could not be stored.
      let requests = try await Self.refreshes(fixture).count
      if reply == "token" || requests > outcome.requests { outcome.problems.append("then \(reply)") }
    }
    // A call has 10 s, a look at what became of a store 2 s; the rest is for a busy machine.
    if outcome.took > .seconds(18) { outcome.problems.append("took \(outcome.took)") }
    if service.calls.count < fault.call { outcome.problems.append("the call was never made") }
    try service.recover()
    let next = try await fixture.token(insteadOf: last)
    if try await !fixture.provider.accepts(accessToken: next) { outcome.problems.append("a dead token") }
    outcome.problems += try await Self.problems(fixture, service)
  }

  /// The reply, and the token that the caller then has.
  private static func refresh(_ fixture: KeyrackFixture, insteadOf token: String) async throws -> (String, String) {
    do { return ("token", try await fixture.token(insteadOf: token)) } catch let error as ReplyError {
      guard codes.contains(error.code) else { throw error }
      return (error.code.rawValue, token)
    }
  }

  private static func refreshes(_ fixture: KeyrackFixture) async throws -> [SampleProvider.LoggedRequest] {
    try await fixture.provider.log().filter { $0.grantType == "refresh_token" }
  }

  /// After a refresh that went well.
  private static func problems(_ fixture: KeyrackFixture, _ service: FakeSecretService) async throws -> [String] {
    var problems: [String] = []
    let refreshes = try await refreshes(fixture)
    let spent = refreshes.compactMap { $0.form?["refresh_token"] }
    if Set(spent).count < refreshes.count { problems.append("a refresh token was spent twice") }
    if refreshes.contains(where: { $0.outcome != .granted }) { problems.append("a refresh was not granted") }
    let live = try await fixture.liveRefreshToken()
    if service.secret?.contains(live) != true { problems.append("the newest refresh token is not in the keyring") }
    let status = try await fixture.status()
    if status.keyring.state != .ok { problems.append("keyring \(status.keyring.state)") }
    let account = status.accounts.first
    if account?.state != .active || account?.saved != true {
      problems.append("\(account?.state.rawValue ?? "no account"), saved: \(account?.saved ?? false)")
    }
    return problems
  }
}

extension KeyringMatrixRow {
  /// As a line of a table.
  func line(_ outcome: Outcome) -> String {
    let seconds = (outcome.took / .milliseconds(100)).rounded() / 10
    let end = outcome.problems.isEmpty ? "kept" : outcome.problems.joined(separator: "; ")
    let columns = [
      (start.rawValue, 11), ("\(fault.call) \(call)", 18), (misbehaviour, 26), (outcome.reply, 20),
      ("\(outcome.requests)", 6), ("\(seconds)", 6),
    ]
    return columns.map { $0 + String(repeating: " ", count: max(1, $1 - $0.count)) }.joined() + end
  }

  static var heading: String {
    let columns = [("keyring", 11), ("at call", 18), ("misbehaves", 26), ("reply", 20), ("sent", 6), ("s", 6)]
    return columns.map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined() + "session"
  }

  private var misbehaviour: String {
    let what =
      switch fault.kind {
      case .fails(let name): "fails: \(name.split(separator: ".").last ?? "")"
      case .failsFromNowOn: "fails from now on"
      case .hangs: "hangs"
      case .leaves: "leaves"
      case .restarts: "restarts"
      case .asks(.accepts): "asks, accepted"
      case .asks(.dismisses): "asks, dismissed"
      case .asks(.isAway): "asks nobody"
      case .killsCaller: "kills the helper"
      }
    return switch fault.effect {
    case .nothing: what
    case .done: "stores, \(what)"
    case .half: "stores half, \(what)"
    }
  }
}

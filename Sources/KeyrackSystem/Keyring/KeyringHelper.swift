import KeyrackCore
import KeyrackProtocol

/// How long a call to the keyring may take.
package struct KeyringDeadlines: Sendable {
  /// What needs no person.
  package var call: Duration = .seconds(10)
  /// A prompt that nobody asked for.
  package var backgroundPrompt: Duration = .seconds(2)
  /// A prompt during a sign-in.
  package var interactivePrompt: Duration = .seconds(60)

  package init() {}
}

/// Brings one call after the other to a helper process, and starts, kills and replaces that as needed. Blocks.
///
/// libsecret loses 1.6 kB of it with each `store` and each `find` that finds something: 40 kB a day for an account whose
/// token lives an hour. It is not replaced for that, as KeePassXC asks the person again for each new client of the bus.
final class KeyringHelper {
  private let path: String
  private let environment: [String: String]
  private let deadlines: KeyringDeadlines
  private var process: HelperProcess?
  /// A prompt that nobody asked for is shown once per lock. Forgotten as soon as the keyring was seen unlocked.
  private var promptFailed = false

  init(path: String, environment: [String: String], deadlines: KeyringDeadlines) {
    self.path = path
    self.environment = environment
    self.deadlines = deadlines
  }

  /// Nil where none runs.
  var pid: Int32? { process?.pid }

  /// The call's `unlock` is left to the policy.
  func perform(_ call: KeyringCall, _ policy: UnlockPolicy) throws(StoreError) -> [KeyringAnswer.Item] {
    let call = call.unlocking(mayUnlock(policy))
    var end = try exchange(call, policy, within: deadlines.call)
    // Any call may be made twice. A process that died has lost its bus, or was killed.
    if case .died = end { end = try exchange(call, policy, within: deadlines.call) }
    switch end {
    case .answered(let answer): return try outcome(answer)
    case .died(let status): throw .failed("\(path) ended unexpectedly, with status \(status)")
    case .lateWhilePrompting: throw .locked
    case .late:
      // What was sent may have been done all the same.
      if call.call == .store, wasStored(call) { return [] }
      throw .failed("the keyring did not answer within \(Self.seconds(deadlines.call)) s")
    }
  }

  private func mayUnlock(_ policy: UnlockPolicy) -> Bool {
    switch policy {
    case .never: false
    case .background: !promptFailed
    case .interactive: true
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }

  private enum End {
    case answered(KeyringAnswer)
    case late
    /// Nothing had been read or written yet.
    case lateWhilePrompting
    case died(status: Int32)
  }

  private func exchange(_ call: KeyringCall, _ policy: UnlockPolicy, within limit: Duration) throws(StoreError) -> End {
    let process = try running()
    var deadline = SuspendingClock.now + limit
    var isPrompting = false
    defer { if isPrompting { promptFailed = true } }
    guard process.send(call, until: deadline) else { return .died(status: end()) }
    while true {
      switch process.receive(until: deadline) {
      case .late:
        end()
        return isPrompting ? .lateWhilePrompting : .late
      case .ended: return .died(status: end())
      case .answer(let answer) where answer.outcome == .prompting:
        isPrompting = true
        deadline = .now + (policy == .interactive ? deadlines.interactivePrompt : deadlines.backgroundPrompt)
      case .answer(let answer) where answer.outcome == .unlocked:
        isPrompting = false
        deadline = .now + limit
      case .answer(let answer): return .answered(answer)
      }
    }
  }

  private func running() throws(StoreError) -> HelperProcess {
    if let process { return process }
    do throws(HelperProcess.StartError) {
      let started = try HelperProcess(path: path, environment: environment)
      process = started
      return started
    } catch {
      throw .failed(error.message)
    }
  }

  /// The next call starts another.
  @discardableResult private func end() -> Int32 {
    defer { process = nil }
    return process?.end() ?? 0
  }

  private func outcome(_ answer: KeyringAnswer) throws(StoreError) -> [KeyringAnswer.Item] {
    switch answer.outcome {
    case .done:
      promptFailed = false
      return answer.items
    case .locked: throw .locked
    case .unavailable:
      // What comes next is another keyring, or a new start of this one.
      promptFailed = false
      throw .unavailable(answer.message ?? "there is no keyring")
    case .conflict: return answer.items
    case .mismatch: throw .failed("the keyring did not keep what was stored")
    case .failed, .prompting, .unlocked: throw .failed(answer.message ?? "the keyring failed")
    }
  }

  /// Asks another process, for a fifth of the time of a call: the caller has waited long enough.
  private func wasStored(_ call: KeyringCall) -> Bool {
    let search = KeyringCall(.find, attributes: call.attributes)
    guard case .answered(let answer)? = try? exchange(search, .background, within: deadlines.call / 5) else {
      return false
    }
    return answer.items.contains { $0.attributes == call.attributes && $0.secret == call.secret }
  }
}

extension KeyringCall {
  fileprivate func unlocking(_ unlock: Bool) -> KeyringCall {
    KeyringCall(
      call, attributes: attributes, label: label, secret: secret, expected: expected, unlock: unlock,
      create: create)
  }
}

import Foundation
import KeyrackProtocol
import TestSupport

/// What the clients of a soak got, what befell the daemon, and which of it no promise allows.
actor SoakRecord {
  /// A kill that takes longer than the keyring's deadline to matter matters no more.
  private static let storeLimit = 10_000

  private(set) var tokens: Set<String> = []
  private(set) var requests = 0
  private(set) var served = 0
  /// Replies without a token, by code.
  private(set) var refused: [String: Int] = [:]
  private(set) var connectionsLost = 0
  /// From before to after it, in Unix milliseconds.
  private(set) var kills: [ClosedRange<Int>] = []
  private(set) var isUp = true
  private(set) var lossesByFault = 0
  private(set) var lossesByKill = 0
  private(set) var refreshes = 0
  private(set) var faults: [String: Int] = [:]
  /// How often; there are to be none.
  private(set) var violations: [String: Int] = [:]

  /// The newest entry of the provider's log that was looked at.
  private var seen = 0
  /// The request that spent it, by refresh token.
  private var rotations: [String: SampleProvider.LoggedRequest] = [:]
  /// Spent refresh tokens that came back, by user, and were not explained yet.
  private var reuses: [String: [SampleProvider.LoggedRequest]] = [:]

  func violated(_ promise: String) { violations[promise, default: 0] += 1 }

  // MARK: Requests

  func gotToken(_ token: String) {
    requests += 1
    served += 1
    tokens.insert(token)
  }

  /// Refusals that an outage excuses; who else is refused was forgotten, or worse.
  func gotError(_ error: ReplyError) {
    requests += 1
    refused[error.code.rawValue, default: 0] += 1
    switch error.code {
    case .temporarilyUnavailable, .throttled, .timeout, .sessionEnded, .shuttingDown, .loginRequired: break
    default: violated("\(error.code.rawValue): \(error.message)")
    }
  }

  /// Of the daemon; it changes with a kill.
  var life: Int { kills.count }

  /// `life` is that in which the connection was made.
  func lostConnection(_ error: any Error, life: Int) {
    requests += 1
    connectionsLost += 1
    if isUp && life == self.life { violated("a connection was lost without a kill: \(error)") }
  }

  // MARK: The daemon

  func kill(_ daemon: KeyrackDaemon) async {
    isUp = false
    let start = Self.now
    await daemon.kill()
    kills.append(start...Self.now)
  }

  private static var now: Int { Int(Date().timeIntervalSince1970 * 1000) }

  func started() { isUp = true }

  // MARK: Losses

  func read(_ log: [SampleProvider.LoggedRequest]) {
    for entry in log where entry.number > seen {
      seen = entry.number
      guard entry.grantType == "refresh_token" else { continue }
      refreshes += 1
      if let fault = entry.fault { faults[fault, default: 0] += 1 }
      if entry.outcome == .granted, let spent = entry.form?["refresh_token"] { rotations[spent] = entry }
      if entry.outcome == .reuse, let user = entry.user { reuses[user, default: []].append(entry) }
    }
  }

  var newest: Int { seen }

  /// An account has to be signed in again. Allowed is that for the one reason that no daemon can rule out: the provider
  /// took the refresh token for spent, and the answer that held the next one never reached the keyring.
  func lost(_ account: String, _ error: ReplyError) {
    guard let reuse = reuses.removeValue(forKey: account)?.last else {
      return violated("lost, and the provider knows no reason: \(error.message)")
    }
    guard let rotation = reuse.form?["refresh_token"].flatMap({ rotations[$0] }) else {
      return violated("lost to a token that was never spent: \(error.message)")
    }
    if rotation.status != 200 {
      lossesByFault += 1
    } else if wasKilled(rotation) {
      lossesByKill += 1
    } else {
      return violated(
        "lost though the answer came, at \(rotation.receivedAtMilliseconds), kills \(kills): \(error.message)")
    }
    if error.reason != "lost_rotation" {
      violated("said \(error.reason ?? "nothing") for lost_rotation (\(rotation.fault ?? "kill"))")
    }
  }

  /// Whether the daemon was killed before it stored what that request brought: nobody was given the access token.
  private func wasKilled(_ rotation: SampleProvider.LoggedRequest) -> Bool {
    let at = rotation.receivedAtMilliseconds
    return kills.contains { $0.overlaps(at...at + Self.storeLimit) } && !tokens.contains(rotation.accessToken ?? "")
  }
}

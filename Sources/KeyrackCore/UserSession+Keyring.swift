package import KeyrackProtocol

/// What to do once the keyring was read.
package enum SpendAction: Sendable, Equatable {
  /// Spend this refresh token.
  case spend(Secret)
  /// The refresh has ended without a request; whoever waited asks again.
  case settle
  /// It is another attempt that is under way, or none.
  case ignore
}

extension UserSession {
  // MARK: The keyring

  /// What the keyring has was read before the refresh token is spent. Another one of the same session is adopted, if it
  /// is not older.
  package mutating func recordRead(_ stored: SessionRecord?, attempt: Int, wall: Int) -> SpendAction {
    guard attempt == flight?.attempt else { return .ignore }
    if isRemembered {
      kept = stored?.session == id ? stored : nil
      if let stored, stored.session == id, stored.isNewer(than: record) {
        adopt(stored, wall: wall)
      } else if kept?.generation != record.generation {
        // Somebody has removed it, or put back an older one, which says nothing about the session itself.
        change(at: wall) { $0.isSaved = false }
      }
    }
    if flight?.denial == nil, let token = record.refreshToken { return .spend(token) }
    _ = end(with: flight?.denial ?? trouble, wall: wall)
    return .settle
  }

  mutating func adopt(_ stored: SessionRecord, wall: Int) {
    change(at: wall) {
      $0.record = stored
      $0.kept = stored
      $0.isSaved = true
      $0.isFateUnknown = false
      $0.refusals = [:]
      $0.flight?.denial = nil
      if case .loginRequired = $0.trouble?.kind { $0.trouble = nil }
    }
  }

  /// Another daemon has stored a newer refresh token while this one got its own.
  package mutating func superseded(by stored: SessionRecord, wall: Int) {
    kept = stored
    if flight?.unpublished != nil { flight?.unpublished?.record = stored } else { adopt(stored, wall: wall) }
  }

  /// The keyring cannot be read or written, so no refresh token was spent.
  package mutating func keyringFailed(
    _ error: StoreError, attempt: Int, now: ContinuousClock.Instant, wall: Int, random: Double = 0
  ) -> RefreshAction {
    guard attempt == flight?.attempt else { return .ignore }
    if let denial = flight?.denial { return end(with: denial, wall: wall) }
    let retryAt = now + schedule.failed(random: random)
    return end(
      with: SessionTrouble(.keyring, .keyring(record.account, error), at: wall, retryAt: retryAt), wall: wall)
  }

  /// The keyring answers again.
  package mutating func keyringRecovered(wall: Int) {
    guard trouble?.kind == .keyring else { return }
    schedule.succeeded()
    change(at: wall) { $0.trouble = nil }
  }

  /// The newest record has reached the keyring, by a later attempt to save it.
  package mutating func saved(_ saved: SessionRecord, wall: Int) {
    if saved == record { change(at: wall) { $0.isSaved = true } }
  }
}

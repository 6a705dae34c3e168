import KeyrackProtocol

/// What subscribers are told of an account when it changes.
struct AccountStanding: Equatable {
  var session: SessionID?
  var health = Health.fine
  var refreshedAt: Int?
  var isExpiring = false

  enum Health: Equatable {
    case fine
    /// It cannot be refreshed for now.
    case failing(AccountState)
    case loginRequired(reason: String?)
  }

  /// The events that lead from there to here. `began` says whether the session is of a sign-in, and not one that the
  /// keyring had.
  func events(since old: AccountStanding, began: Bool) -> [(SessionEvent.Kind, reason: String?)] {
    guard session == old.session else {
      guard session != nil else { return [(.logout, nil)] }
      let first: (SessionEvent.Kind, String?) = (began ? .login : .recovered, nil)
      return [first] + healthEvents(since: .fine) + (isExpiring ? [(.expiring, nil)] : [])
    }
    guard session != nil else { return [] }
    var events: [(SessionEvent.Kind, reason: String?)] = []
    if refreshedAt != old.refreshedAt { events.append((.refreshed, nil)) }
    events += healthEvents(since: old.health)
    if isExpiring && !old.isExpiring { events.append((.expiring, nil)) }
    return events
  }

  private func healthEvents(since old: Health) -> [(SessionEvent.Kind, reason: String?)] {
    guard health != old else { return [] }
    return switch health {
    case .fine: [(.recovered, nil)]
    case .failing(let state): [(.refreshFailed, state.rawValue)]
    case .loginRequired(let reason): [(.loginRequired, reason)]
    }
  }
}

extension AccountStanding.Health {
  /// Nil where that state says nothing: a refresh or a sign-in under way leaves it open how it ends.
  init?(_ state: AccountState, reason: String?) {
    switch state {
    case .active, .signedOut: self = .fine
    case .keyringLocked, .unknownOutcome, .throttled, .degraded, .unsaved: self = .failing(state)
    case .loginRequired: self = .loginRequired(reason: reason)
    case .refreshing, .signingIn: return nil
    }
  }
}

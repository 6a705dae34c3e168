package import KeyrackProtocol

/// A group `[use …]`: the account that serves the programs of one kind at one place.
package struct UseMapping: Sendable, Equatable {
  /// Whom it is for.
  package enum User: Sendable, Equatable {
    case anybody
    /// Whoever does not say who they are, and this one.
    case usually(String)
    /// This one, where they say so.
    case only(String)

    fileprivate func admits(_ name: String?) -> Bool {
      switch self {
      case .anybody: true
      case .usually(let own): name?.utf8.elementsEqual(own.utf8) ?? true
      case .only(let own): name?.utf8.elementsEqual(own.utf8) ?? false
      }
    }

    fileprivate var isNarrow: Bool {
      if case .only = self { true } else { false }
    }
  }

  package let use: ResolveOperation.Use
  package let place: WebPlace
  /// As it was written.
  package let url: String
  package let account: String
  package let user: User

  package init(use: ResolveOperation.Use, place: WebPlace, url: String, account: String, user: User) {
    self.use = use
    self.place = place
    self.url = url
    self.account = account
    self.user = user
  }

  package var username: String? {
    switch user {
    case .anybody: nil
    case .usually(let name), .only(let name): name
    }
  }
}

extension [UseMapping] {
  /// Of those that are for this, the one with the longest path and then one that names the user.
  func first(for use: ResolveOperation.Use, at place: WebPlace, as username: String?) -> UseMapping? {
    filter { $0.use == use && $0.place.contains(place) && $0.user.admits(username) }
      .max { ($0.place.path.count, $0.user.isNarrow ? 1 : 0) < ($1.place.path.count, $1.user.isNarrow ? 1 : 0) }
  }
}

/// Something that the person should see to.
package enum Notice: Sendable, Equatable {
  case loginRequired(account: String, LoginReason?)
  /// The refresh token soon ends.
  case expiring(account: String)
  /// A refresh needs the keyring, and that is locked or, with false, out of reach.
  case keyring(isLocked: Bool)

  /// What it is about: of that only one is shown.
  package enum Subject: Hashable, Sendable {
    case account(String)
    case keyring
  }

  package var subject: Subject {
    switch self {
    case .loginRequired(let account, _), .expiring(let account): .account(account)
    case .keyring: .keyring
    }
  }
}

extension Notice {
  /// One line of plain text.
  package var title: String {
    switch self {
    case .loginRequired(let account, _): "Sign in to \(account) again"
    case .expiring(let account): "The sign-in to \(account) soon ends"
    case .keyring(isLocked: true): "The keyring is locked"
    case .keyring(isLocked: false): "The keyring is out of reach"
    }
  }

  /// Plain text, which ends with what to do.
  package var body: String {
    switch self {
    case .loginRequired(let account, let reason):
      Self.sentence(reason?.message(nil) ?? "it is needed") + " In a terminal: keyrack login \(account)"
    case .expiring(let account): "Sign in again before that. In a terminal: keyrack login \(account)"
    case .keyring(isLocked: true): "Keyrack cannot refresh your accounts until you unlock it."
    case .keyring(isLocked: false):
      "Keyrack cannot refresh your accounts until a Secret Service answers, such as gnome-keyring."
    }
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}

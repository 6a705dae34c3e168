import KeyrackProtocol

/// What may follow a command, by the name behind its two dashes.
enum Option: String, CaseIterable {
  case username
  case passwordFromInput = "password-stdin"
  case refreshTokenFromInput = "refresh-token-stdin"
  case noRemember = "no-remember"
  case force
  case wait
  case issuer
  case minimumValidity = "min-valid"
  case rejectedFromInput = "rejected-stdin"
  case scope
  case timeout
  case json
  case help

  /// As it is typed.
  var flag: String { "--" + rawValue }

  /// What its value is called, where it takes one.
  var value: String? {
    switch self {
    case .username: "NAME"
    case .issuer: "URL"
    case .minimumValidity, .timeout: "SECONDS"
    case .scope: "SCOPE"
    case .passwordFromInput, .refreshTokenFromInput, .noRemember, .force, .wait, .rejectedFromInput, .json, .help: nil
    }
  }

  var summary: String {
    switch self {
    case .username: "who signs in; asked for on the terminal where it is missing"
    case .passwordFromInput: "read the password from one line of standard input"
    case .refreshTokenFromInput: "sign in with a refresh token, from one line of standard input"
    case .noRemember: "keep the session in memory only, not in the keyring"
    case .force: "another person than last time is meant"
    case .wait: "wait until the provider has been told"
    case .issuer: "the account by its issuer instead of its name"
    case .minimumValidity:
      "how long the token must be good for (default \(TokenOperation.defaultMinimumValidity))"
    case .rejectedFromInput: "the token that a server refused, from one line of standard input"
    case .scope: "the scopes it must have, space-separated"
    case .timeout: "how long to wait for it (default \(TokenOperation.defaultTimeout))"
    case .json: "print the daemon's reply line instead, errors too"
    case .help: "print this"
    }
  }
}

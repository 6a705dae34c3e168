import KeyrackProtocol

/// What may follow a command, by the name behind its two dashes.
enum Option: String, CaseIterable {
  case browser, device, paste
  case noBrowser = "no-browser"
  case username
  case passwordFromInput = "password-stdin"
  case refreshTokenFromInput = "refresh-token-stdin"
  case noRemember = "no-remember"
  case force
  case wait
  case issuer
  case minimumValidity = "min-valid"
  case header
  case idToken = "id-token"
  case environment = "env"
  case user, mechanism, port
  case once
  case anyFilesystem = "any-filesystem"
  case rejectedFromInput = "rejected-stdin"
  case scope
  case timeout
  case provider
  case clientID = "client-id"
  case host
  case redirectURI = "redirect-uri"
  case scopes
  case noLogin = "no-login"
  case secretFromInput = "secret-stdin"
  case remove
  case account
  case yes
  case since, lines, follow
  case json
  case help

  /// As it is typed.
  var flag: String { "--" + rawValue }

  /// What its value is called, where it takes one.
  var value: String? {
    switch self {
    case .username, .provider, .account, .environment, .user: "NAME"
    case .clientID: "ID"
    case .host: "HOST"
    case .port: "PORT"
    case .mechanism: "MECHANISM"
    case .redirectURI: "URL"
    case .scopes: "SCOPES"
    case .issuer: "URL"
    case .minimumValidity, .timeout: "SECONDS"
    case .scope: "SCOPE"
    case .since: "TIME"
    case .lines: "COUNT"
    case .browser, .device, .paste, .noBrowser, .passwordFromInput, .refreshTokenFromInput, .noRemember, .force, .wait,
      .header, .idToken, .once, .anyFilesystem, .rejectedFromInput, .noLogin, .secretFromInput, .remove, .yes, .follow,
      .json, .help:
      nil
    }
  }

  func summary(in command: Command) -> String {
    switch self {
    case .browser: "sign in with a browser on this machine"
    case .device: "sign in on any device, with a code that is shown here"
    case .paste: "sign in with a browser on another machine, and paste the address that it ends on"
    case .noBrowser: "print the address of the page, and open no browser"
    case .username: "who signs in, as the provider knows them"
    case .passwordFromInput: "read the password from one line of standard input"
    case .refreshTokenFromInput: "sign in with a refresh token, from one line of standard input"
    case .noRemember: "keep the session in memory only, not in the keyring"
    case .force: "sign in although it is another person than last time"
    case .wait: "wait until the provider has been told"
    case .issuer:
      command == .token
        ? "the account by its issuer instead of its name"
        : "the address of the provider, its issuer: it is asked for the rest, and to register Keyrack"
    case .minimumValidity:
      "how long the token must be good for (default \(TokenOperation.defaultMinimumValidity))"
    case .header: "print it as the header line Authorization: Bearer TOKEN"
    case .idToken: "the id token instead of the access token"
    case .environment: "what the variable is called (default \(ExecCommand.usualName))"
    case .rejectedFromInput: "the token that a server refused, from one line of standard input"
    case .scope: "the scopes it must have, space-separated"
    case .timeout:
      "how long to wait for it (default \(command == .wait ? "for ever" : "\(TokenOperation.defaultTimeout)"))"
    case .provider: "one of those that keyrack provider list shows"
    case .host:
      command == .sasl
        ? "the server, with --mechanism oauthbearer" : "the name of your own server, of a provider that has such"
    case .port: "its port"
    case .once: "write the file, and end"
    case .anyFilesystem: "write to a disk, too, where the token stays readable for who gets hold of that"
    case .user: "the mailbox, mostly its address"
    case .mechanism:
      "\(SASLMessage.Mechanism.allCases.map(\.rawValue).joined(separator: " or ")) (default \(SASLMessage.Mechanism.usual.rawValue))"
    case .redirectURI: "where the browser is sent back to, as it is registered there, {port} for any port"
    case .clientID: "the id of the client that was registered there, instead of being asked for it"
    case .scopes: "the scopes to ask for, space-separated, instead of being asked for them"
    case .noLogin: "do not sign in yet"
    case .secretFromInput: "read the secret from standard input: a line, or a key in PEM"
    case .remove: "remove the secret instead"
    case .account: "what to call the account here"
    case .yes: "do not ask whether it is meant"
    case .since: "what has happened since then: today, -2h, \"2030-01-31 18:00\", as journalctl has it"
    case .lines: "the last of them, so many; -n for short"
    case .follow: "go on with what happens from now on"
    case .json:
      command == .log
        ? "print all fields, as journalctl does"
        : command == .check
          ? "print the checks as one line of JSON" : "print the daemon's reply line instead, errors too"
    case .help: "print this"
    }
  }
}

/// What `keyrack` can be told to do. The one definition of usage, help and what the parser accepts.
enum Command: String, CaseIterable {
  case login, logout, token, status, cancel, reload, version, help

  var definition: Definition {
    switch self {
    case .login:
      Definition(
        usage: ["ACCOUNT"], summary: "sign in to an account",
        options: [.username, .passwordFromInput, .refreshTokenFromInput, .noRemember, .force],
        details: """
          The password is asked for on the terminal and not shown. It is sent to the provider once and kept nowhere.
          What the account had before is replaced once the sign-in has worked.
          """)
    case .logout:
      Definition(
        usage: ["ACCOUNT"], summary: "end the session of an account", options: [.wait],
        details: """
          Its tokens are forgotten here at once, and the provider is told to revoke them as soon as it can be reached.
          """)
    case .token:
      Definition(
        usage: ["ACCOUNT", "--issuer URL"], summary: "print an access token",
        options: [.issuer, .minimumValidity, .rejectedFromInput, .scope, .timeout],
        details: """
          Prints the access token and a line feed, nothing else. It is refreshed where it is needed; nobody is asked
          anything. A server refused a token that has not expired? Ask again with --rejected-stdin.
          """)
    case .status:
      Definition(
        usage: ["[ACCOUNT]"], summary: "show accounts, the keyring and what went wrong",
        details: "EXPIRES is the access token's end. It is renewed at the next need; nothing has to be done.")
    case .cancel:
      Definition(usage: ["ACCOUNT"], summary: "end a sign-in that is under way")
    case .reload:
      Definition(
        usage: [""], summary: "read the configuration again",
        details: "Where it is broken the old one stays in force, and what is wrong is printed.")
    case .version:
      Definition(usage: [""], summary: "print the versions of keyrack and keyrackd")
    case .help:
      Definition(usage: ["[COMMAND]"], summary: "print help", takesJSON: false)
    }
  }

  /// How many names may follow.
  var operands: ClosedRange<Int> {
    switch self {
    case .login, .logout, .cancel: 1...1
    case .token, .status, .help: 0...1
    case .reload, .version: 0...0
    }
  }

  struct Definition {
    /// What follows the command, a form each.
    let usage: [String]
    let summary: String
    let options: [Option]
    let details: String?

    init(
      usage: [String], summary: String, options: [Option] = [], takesJSON: Bool = true, details: String? = nil
    ) {
      self.usage = usage
      self.summary = summary
      self.options = options + (takesJSON ? [.json] : []) + [.help]
      self.details = details
    }
  }
}

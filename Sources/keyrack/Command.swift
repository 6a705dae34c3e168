/// What `keyrack` can be told to do. The one definition of usage, help and what the parser accepts.
enum Command: String, CaseIterable {
  case login, logout, token, exec, curl, sasl
  case kubeCredential = "kube-credential"
  case tokenFile = "token-file"
  case status, check, watch, wait, log
  case accountAdd = "account add"
  case accountList = "account list"
  case accountRemove = "account remove"
  case providerList = "provider list"
  case providerShow = "provider show"
  case providerSecret = "provider secret"
  case importAccount = "import"
  case gitCredential = "git-credential"
  case dockerCredential = "docker-credential"
  case cancel, reload, purge, version, help

  /// The command that these words begin with.
  init?(in words: [String]) {
    guard let command = Self.allCases.first(where: { words.starts(with: $0.words) }) else { return nil }
    self = command
  }

  /// As it is typed.
  var words: [String] { rawValue.split(separator: " ").map(String.init) }

  var definition: Definition {
    switch self {
    case .login:
      Definition(
        usage: ["ACCOUNT"], summary: "sign in to an account",
        options: [
          .browser, .device, .paste, .noBrowser, .username, .passwordFromInput, .refreshTokenFromInput, .noRemember,
          .force,
        ],
        details: """
          Without an option it is done as the provider usually does it: with a browser, by a code for another device, or
          with a password. Over ssh, take --paste for the browser that you have, or --device for a phone. A password is
          asked for on the terminal and not shown; it is sent to the provider once and kept nowhere. Ctrl-C ends the
          sign-in.
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
        options: [.issuer, .header, .idToken, .minimumValidity, .rejectedFromInput, .scope, .timeout],
        details: """
          Prints the access token and a line feed, nothing else. It is refreshed where it is needed; nobody is asked
          anything. A server refused a token that has not expired? Ask again with --rejected-stdin.
          """)
    case .exec: .exec
    case .curl: .curl
    case .sasl: .sasl
    case .kubeCredential: .kubeCredential
    case .tokenFile: .tokenFile
    case .status:
      Definition(
        usage: ["[ACCOUNT]"], summary: "show accounts, the keyring and what went wrong",
        details: "EXPIRES is the access token's end. It is renewed at the next need; nothing has to be done.")
    case .check:
      Definition(
        usage: [""], summary: "look at everything that is needed, and say what to do",
        details: """
          A line each: ok, warn or fail, what was looked at, and what was found. Below it, what to do. Providers are asked
          for what they tell everybody, the keyring keeps an item for a moment; nobody is asked anything. No line holds a
          secret: put all of them into a bug report.
          """)
    case .watch:
      Definition(
        usage: ["[ACCOUNT...]"], summary: "show what changes, as it happens",
        details: """
          Prints how the accounts are, then a line for each change of state, until Ctrl-C. With --json these are the event
          lines of the protocol. A restart of the daemon does not end it: how the accounts are then is printed again.
          """)
    case .wait:
      Definition(
        usage: ["ACCOUNT"], summary: "wait until a token can be had", options: [.timeout],
        details: """
          Prints nothing on standard output, and signs nobody in: it waits for the network, the keyring, or for somebody
          who does. For scripts that start before these are there.
          """)
    case .log:
      Definition(
        usage: ["[ACCOUNT]"], summary: "show who got which token, and what else has happened",
        options: [.since, .lines, .follow],
        details: """
          Reads the journal of systemd by journalctl: the last 100 events, unless --since or -n says which. What was
          repeated within a minute is one line with a count. A keyrackd that was started by hand writes to its standard
          error instead. Any of your programs can write lines that look like these.
          """)
    case .accountAdd: .accountAdd
    case .accountList: .accountList
    case .accountRemove: .accountRemove
    case .importAccount: .importAccount
    case .providerList: .providerList
    case .providerShow: .providerShow
    case .providerSecret: .providerSecret
    case .gitCredential: .gitCredential
    case .dockerCredential: .dockerCredential
    case .cancel:
      Definition(usage: ["ACCOUNT"], summary: "end a sign-in that is under way")
    case .reload:
      Definition(
        usage: [""], summary: "read the configuration again",
        details: "Where it is broken the old one stays in force, and what is wrong is printed.")
    case .purge:
      Definition(
        usage: [""], summary: "sign out of everything, and remove all that Keyrack keeps", options: [.yes],
        details: """
          Each session ends, and its provider is told to revoke it; what cannot be told is counted. Then all of Keyrack's
          is removed from the keyring: sessions, also of accounts that are configured no more, and client secrets; and the
          notes of the daemon. keyrack.conf stays. With a locked keyring nothing is changed. To be rid of a single account:
          keyrack logout ACCOUNT.
          """)
    case .version:
      Definition(usage: [""], summary: "print the versions of keyrack and keyrackd")
    case .help:
      Definition(usage: ["[COMMAND | TOPIC]"], summary: "print help", takesJSON: false)
    }
  }

  /// How many names may follow.
  var operands: ClosedRange<Int> {
    switch self {
    case .login, .logout, .wait, .cancel, .accountAdd, .accountRemove, .providerShow, .providerSecret, .sasl,
      .kubeCredential, .gitCredential, .dockerCredential:
      1...1
    case .token, .status, .log: 0...1
    case .watch: 0...1000
    case .importAccount, .tokenFile: 2...2
    case .exec, .curl: 2...Int.max
    case .help: 0...2
    case .check, .reload, .purge, .version, .accountList, .providerList: 0...0
    }
  }

  /// After how many names the words are another program's.
  var namesBeforeForeignWords: Int? {
    switch self {
    // The program is found by its name, and has its own options.
    case .exec: 2
    case .curl: 1
    default: nil
    }
  }

  /// What is asked where a name is missing.
  var question: String {
    switch self {
    case .providerShow, .providerSecret: "which provider?"
    case .importAccount: "which program's FILE?"
    case .gitCredential, .dockerCredential: "which operation?"
    case .exec: "which account, and which program?"
    case .curl: "which account, and which URL?"
    case .tokenFile: "which account, and which PATH?"
    default: "which account?"
    }
  }
}

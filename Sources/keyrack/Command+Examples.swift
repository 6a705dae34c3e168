extension Command {
  /// What people type, and what comes of it.
  var examples: [(line: String, meaning: String)] {
    switch self {
    case .login: Self.signIns
    case .logout: [("keyrack logout work --wait", "sign out here and at the provider, and see that it worked")]
    case .token: Self.tokens
    case .exec: Self.programs
    case .curl: Self.requests
    case .sasl: Self.mail
    case .kubeCredential: Self.clusters
    case .tokenFile: Self.files
    case .status: [("keyrack status", "all accounts"), ("keyrack status work --json", "one of them, for a program")]
    case .check: [("keyrack check", "when something does not work, and before you report it")]
    case .watch: [("keyrack watch", "all accounts"), ("keyrack watch work --json", "one of them, for a program")]
    case .wait: [("keyrack wait work && mbsync work", "in a script that starts before the network is there")]
    case .log: Self.logs
    case .accountAdd: Self.additions
    case .accountList: [("keyrack account list", "which accounts there are")]
    case .accountRemove: [("keyrack account remove work --yes", "sign out, and remove it, without a question")]
    case .providerList: [("keyrack provider list", "what --provider can name")]
    case .providerShow: [("keyrack provider show google", "what Keyrack knows of it")]
    case .providerSecret: Self.secrets
    case .importAccount: ImportFormat.allCases.map { ($0.example, "from \($0.rawValue)") }
    case .gitCredential: Self.gitCredentials
    case .dockerCredential: Self.dockerCredentials
    case .cancel: [("keyrack cancel work", "let go of a browser that was closed")]
    case .reload: [("keyrack reload", "after a change to keyrack.conf")]
    case .purge: [("keyrack purge --yes", "before Keyrack is uninstalled, without a question")]
    case .version: [("keyrack version", "of both"), ("keyrack --version", "the same")]
    case .help: [("keyrack help account add", "about a command"), ("keyrack help configuration", "about keyrack.conf")]
    }
  }

  private static var signIns: [(String, String)] {
    [
      ("keyrack login work", "with a browser, for most"),
      ("keyrack login work --paste", "over ssh, with the browser of another machine"),
      ("keyrack login work --device", "with a phone"),
      ("pass show work | keyrack login work --username alice --password-stdin", "from a script"),
    ]
  }

  private static var tokens: [(String, String)] {
    [
      ("keyrack token work", "print one"),
      ("keyrack token work --min-valid 300", "one that is good for five minutes more"),
      ("keyrack token work --header | curl -H @- https://api.example.org/me", "hand it on unseen"),
    ]
  }

  private static var programs: [(String, String)] {
    [
      ("keyrack exec hub --env GITHUB_TOKEN -- gh pr list", "for a program that reads GITHUB_TOKEN"),
      ("keyrack exec work -- sh -c 'deploy --token-from-env ACCESS_TOKEN'", "for one that is told the variable"),
    ]
  }

  private static var requests: [(String, String)] {
    [
      ("keyrack curl work https://api.example.org/me", "get something"),
      ("keyrack curl work -sS --json @- https://api.example.org/notes <note.json", "post something"),
    ]
  }

  private static var mail: [(String, String)] {
    [
      ("keyrack sasl personal --user jo@gmail.com", "for IMAP, SMTP and POP of Google and Microsoft"),
      (
        "keyrack sasl work --user jo --mechanism oauthbearer --host imap.example.org --port 993",
        "for servers of RFC 7628"
      ),
    ]
  }

  private static var clusters: [(String, String)] {
    [
      (
        "kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1"
          + " --exec-interactive-mode=Never --exec-command=keyrack --exec-arg=kube-credential --exec-arg=work"
          + " --exec-arg=--id-token",
        "let kubectl ask for it"
      ),
      ("keyrack kube-credential work", "see what it gets"),
    ]
  }

  private static var files: [(String, String)] {
    [
      ("keyrack token-file work $XDG_RUNTIME_DIR/work.jwt --id-token", "for AWS_WEB_IDENTITY_TOKEN_FILE"),
      (
        "systemctl --user enable --now keyrack-token-file@work",
        "as a service: $XDG_RUNTIME_DIR/keyrack-token/work/token"
      ),
      ("keyrack token-file work /dev/shm/work.token --once", "in a script"),
    ]
  }

  private static var logs: [(String, String)] {
    [
      ("keyrack log", "the last 100 events"),
      ("keyrack log work --since yesterday", "of one account"),
      ("keyrack log --follow", "as they happen"),
    ]
  }

  private static var additions: [(String, String)] {
    [
      ("keyrack account add personal --provider google", "at a provider that Keyrack knows"),
      ("keyrack account add work --issuer https://sso.example.org", "at any other with OpenID Connect"),
    ]
  }

  private static var secrets: [(String, String)] {
    [
      ("keyrack provider secret corp", "asked for on the terminal"),
      ("keyrack provider secret corp --secret-stdin <key.pem", "a private key"),
      ("keyrack provider secret corp --remove", "forget it"),
    ]
  }
}

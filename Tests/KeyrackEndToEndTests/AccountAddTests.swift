import Glibc
import TestSupport
import Testing

/// `keyrack account add` and the person at the terminal, against a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1)))
struct AccountAddTests {
  private static let google = ["account", "add", "work", "--provider", "google"]
  private static let issuer = ["account", "add", "work", "--issuer", "https://a.test"]
  private let home = try? ConfigurationHome()

  @Test func aPresetIsAskedForWhatItLacks() async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      Self.google, [Lines.noAccounts, Lines.providers, Lines.secret, Lines.reload, Lines.login]
    ) { terminal, _ in
      _ = terminal.read(until: "client_id for google: ")
      terminal.type("abc\\d\n")
      _ = terminal.read(until: "client secret (not shown): ")
      #expect(!terminal.isEchoing)
      terminal.type("hunter2\n")
      _ = terminal.read(until: "scopes, separated by spaces [openid mail]: ")
      #expect(terminal.isEchoing)
      terminal.type("openid  a;b\n")
    }
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      home.text == """
        [provider work]
        preset=google
        client_id=abc\\\\d

        [account work]
        provider=work
        scopes=openid;a\\;b

        """)
    #expect(
      outcome.requests == [
        #"{"op":"status"}"#, #"{"op":"providers"}"#, #"{"op":"secret","provider":"work","secret":"hunter2"}"#,
        #"{"op":"reload"}"#, #"{"op":"login","account":"work"}"#,
      ])
    #expect(outcome.run.output.isEmpty)
    #expect(outcome.run.errors.contains("needed: client_id, the id of an app"))
    #expect(outcome.run.errors.contains("https://console.cloud.google.com/auth/clients\n"))
    #expect(outcome.run.errors.hasSuffix("added work to \(home.file)\nsigned in to work as jo\n"))
    #expect(!outcome.run.errors.contains("hunter2"))
    #expect(ConfigurationHome.mode(of: home.file) == 0o600)
    #expect(ConfigurationHome.mode(of: home.directory) == 0o700)
  }

  @Test func thePresetsOwnScopesAreNotRepeated() async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      ["account", "add", "work", "--provider", "google", "--client-id", "abc", "--no-login"],
      [Lines.noAccounts, Lines.providers, Lines.secret, Lines.reload]
    ) { terminal, _ in
      _ = terminal.read(until: "client secret (not shown): ")
      terminal.type("hunter2\n")
      _ = terminal.read(until: "[openid mail]: ")
      terminal.type("\n")
    }
    #expect(outcome.run.status == 0)
    #expect(home.text?.contains("scopes") == false)
    #expect(outcome.run.errors.hasSuffix("to sign in: keyrack login work\n"))
  }

  @Test func aConfiguredProviderNeedsNoGroup() async throws {
    let home = try #require(home)
    let outcome = try await home.run(
      ["account", "add", "work", "--provider", "corp", "--no-login", "--json"],
      [Lines.noAccounts, Lines.providers, Lines.reload])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(outcome.run.text == Lines.reload + "\n")
    #expect(home.text == "[account work]\nprovider=corp\n")
  }

  @Test func everythingCanBeGivenWithoutATerminal() async throws {
    let home = try #require(home)
    let outcome = try await home.run(
      Self.google + ["--client-id", "abc", "--scopes", "mail", "--secret-stdin", "--no-login"], input: "s3\n",
      [Lines.noAccounts, Lines.providers, Lines.secret, Lines.reload])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(outcome.requests[2] == #"{"op":"secret","provider":"work","secret":"s3"}"#)
    let lacking = try await home.run(
      Self.google.map { $0 == "work" ? "home" : $0 }, [Lines.noAccounts, Lines.providers])
    #expect(lacking.run.status == 2)
    #expect(lacking.run.errors.contains("there is no terminal to ask on\nkeyrack: hint: give --client-id"))
  }

  // MARK: An issuer

  @Test func anIssuerThatRegistersClientsIsAskedTo() async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      Self.issuer,
      [
        Lines.noAccounts, Lines.providers, Lines.discovery(registers: true), Lines.register, Lines.reload, Lines.login,
      ]
    ) { terminal, _ in
      _ = terminal.read(until: "scopes, separated by spaces [openid offline_access]: ")
      terminal.type("\n")
    }
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      outcome.requests.dropFirst(2).prefix(2) == [
        #"{"op":"discover","issuer":"https://a.test"}"#,
        #"{"op":"register","issuer":"https://a.test","name":"work"}"#,
      ])
    #expect(
      home.text == """
        [provider work]
        issuer=https://a.test
        discovery=oidc
        client_id=made

        [account work]
        provider=work
        scopes=openid;offline_access

        """)
  }

  @Test func anIssuerThatDoesNotNeedsAClient() async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      Self.issuer + ["--scopes", "openid"],
      [
        Lines.noAccounts, Lines.providers, Lines.discovery(registers: false), Lines.secret, Lines.reload, Lines.login,
      ]
    ) { terminal, _ in
      _ = terminal.read(until: "client_id: ")
      terminal.type("abc\n")
      _ = terminal.read(until: "where there is none): ")
      terminal.type("hunter2\n")
    }
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(outcome.operations == ["status", "providers", "discover", "secret", "reload", "login"])
    #expect(home.text?.contains("client_id=abc\ntoken_endpoint_auth_method=client_secret_post\n") == true)
  }

  // MARK: What comes to nothing

  private static let prompts = ["client_id for google: ", "(not shown): ", "[openid mail]: "]

  @Test(arguments: 0..<3, ["\u{3}", "\u{4}", "\u{1C}"])
  func nothingIsDoneBeforeTheLastAnswer(prompt: Int, key: String) async throws {
    let home = try #require(home)
    try home.write("# mine\n\n")
    let outcome = try await home.converse(Self.google, [Lines.noAccounts, Lines.providers]) { terminal, _ in
      for earlier in Self.prompts[..<prompt] {
        _ = terminal.read(until: earlier)
        terminal.type("x\n")
      }
      _ = terminal.read(until: Self.prompts[prompt])
      terminal.type(key)
    }
    #expect(outcome.run.status == ["\u{3}": 130, "\u{1C}": 131, "\u{4}": 1][key])
    #expect(outcome.operations == ["status", "providers"])
    #expect(home.text == "# mine\n\n")
  }

  @Test(arguments: [true, false])
  func noClientIsRegisteredBeforeTheLastAnswer(registers: Bool) async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      Self.issuer, [Lines.noAccounts, Lines.providers, Lines.discovery(registers: registers)]
    ) { terminal, _ in
      if !registers {
        _ = terminal.read(until: "client_id: ")
        terminal.type("abc\n")
        _ = terminal.read(until: "where there is none): ")
        terminal.type("\n")
      }
      _ = terminal.read(until: "[openid offline_access]: ")
      terminal.type("\u{3}")
    }
    #expect(outcome.run.status == 130)
    #expect(outcome.operations == ["status", "providers", "discover"])
    #expect(home.text == nil)
    #expect(access(home.directory, F_OK) != 0)
  }

  @Test(arguments: [nil, "# mine\n[keyrack]\nbrowser_command = firefox  \n", "\n\n# only a comment"])
  func aRefusedConfigurationIsPutBack(before: String?) async throws {
    let home = try #require(home)
    if let before { try home.write(before) }
    let outcome = try await home.run(
      Self.google + ["--client-id", "abc", "--scopes", "mail", "--secret-stdin"], input: "s3",
      [Lines.noAccounts, Lines.providers, Lines.secret, Lines.refusal("config_error"), Lines.secret])
    #expect(outcome.run.status == 1)
    #expect(outcome.run.errors == "keyrack: work: no\n")
    #expect(home.text == before)
    #expect(outcome.requests.last == #"{"op":"secret","provider":"work","secret":null}"#)
  }

  @Test func commentsAndOrderAreKept() async throws {
    let home = try #require(home)
    let before = "# first\n\n[provider corp]\n# why\nclient_id=c\n\n# last\n"
    try home.write(before)
    _ = try await home.run(
      ["account", "add", "work", "--provider", "corp", "--no-login"], [Lines.noAccounts, Lines.providers, Lines.reload])
    #expect(home.text == before + "\n[account work]\nprovider=corp\n")
  }

  @Test func aLinkStaysALink() async throws {
    let home = try #require(home)
    try home.write("# mine\n")
    #expect(rename(home.file, "\(home.path)/dotfiles.conf") == 0)
    #expect(symlink("../dotfiles.conf", home.file) == 0)
    let add = ["account", "add", "work", "--provider", "corp", "--no-login"]
    let refused = try await home.run(add, [Lines.noAccounts, Lines.providers, Lines.refusal("config_error")])
    #expect(refused.run.status == 1)
    #expect(ConfigurationHome.read("\(home.path)/dotfiles.conf") == "# mine\n")
    _ = try await home.run(add, [Lines.noAccounts, Lines.providers, Lines.reload])
    var status = stat()
    #expect(lstat(home.file, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(ConfigurationHome.read("\(home.path)/dotfiles.conf")?.contains("[account work]") == true)
  }

  @Test(arguments: [
    (Lines.account("work", of: "corp"), "", "an account of that name is configured already"),
    ("", "[account work]\nprovider=corp\n", "an account of that name is configured already"),
    ("", "[provider work]\nclient_id=c\n", "a provider of that name is configured already"),
  ])
  func aNameThatIsTakenIsRefusedBeforeAnyPrompt(account: String, text: String, complaint: String) async throws {
    let home = try #require(home)
    try home.write(text)
    let outcome = try await home.converse(Self.google, [Lines.status(account), Lines.providers]) { _, _ in }
    #expect(outcome.run.status == 1)
    #expect(outcome.run.errors.hasPrefix("keyrack: work: \(complaint)\nkeyrack: hint: keyrack account "))
    #expect(home.text == text)
  }

  @Test func nobodyIsAskedWithoutADaemon() async throws {
    let path = try #require(home).path
    let run = try await BlockingThread.run {
      let terminal = try PseudoTerminal()
      return try CommandProcess(
        Self.google, environment: ["KEYRACK_SOCKET=/nowhere/keyrack.sock", "XDG_CONFIG_HOME=\(path)"],
        terminal: terminal.path
      ).result()
    }
    #expect(run.status == 7)
  }

  @Test func aFailedSignInLeavesTheAccountAndSaysHowToTryAgain() async throws {
    let home = try #require(home)
    let outcome = try await home.run(
      ["account", "add", "work", "--provider", "corp", "--device"],
      [Lines.noAccounts, Lines.providers, Lines.reload, Lines.refusal("login_denied")])
    #expect(outcome.run.status == 8)
    #expect(outcome.requests.last == #"{"op":"login","account":"work","method":"device"}"#)
    #expect(outcome.run.errors.contains("work is configured, but not signed in; to try again: keyrack login work\n"))
    #expect(home.text?.contains("[account work]") == true)
  }

  @Test func aRefusalIsItsLineWithJSON() async throws {
    let home = try #require(home)
    let outcome = try await home.run(Self.google + ["--json"], [Lines.refusal("config_error")])
    #expect(outcome.run.text == Lines.refusal("config_error") + "\n")
    #expect(outcome.run.errors.isEmpty && outcome.run.status == 1)
  }

  @Test(arguments: [
    (["account"], "account: which of add, list, remove?"),
    (["account", "work"], "account: which of add, list, remove?"),
    (["account", "add"], "account add: which account?"),
    (["account", "add", "work"], "account add: either --provider NAME or --issuer URL, which?"),
    (["account", "add", "work", "--provider", "a", "--issuer", "b"], "--issuer: does not go with --provider"),
    (["account", "add", "no name", "--provider", "a"], "no name: not a name that an account can have"),
    (["account", "add", "work", "--provider", "a", "--scopes", "a\"b"], "a\"b: not a scope"),
    (["account", "add", "work", "--yes"], "--yes: not an option of account add"),
    (["provider", "show"], "provider show: which provider?"),
    (["provider", "secret", "a", "--remove", "--secret-stdin"], "--secret-stdin: does not go with --remove"),
    (["import", "oama"], "import: which program's FILE?"),
    (["import", "oama", "a", "b"], "import takes two arguments, not 3"),
    (["import", "netrc", "a"], "import: the program is one of oidc-agent, pizauth, mutt_oauth2, oama"),
  ])
  func aUsageErrorAsksNobody(arguments: [String], complaint: String) async throws {
    let run = try await CommandRun.run(arguments, socket: "/nowhere/keyrack.sock")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("keyrack: \(complaint)\nkeyrack: hint: "), "\(run.errors)")
  }

  @Test func helpKnowsGroupsAndCommandsOfTwoWords() async throws {
    let group = try await CommandRun.run(["account", "--help"], socket: nil)
    #expect(group.status == 0 && group.text.hasPrefix("usage: keyrack account COMMAND"))
    for command in ["add", "list", "remove"] { #expect(group.text.contains("\n  \(command) ")) }
    #expect(try await CommandRun.run(["help", "account"], socket: nil).text == group.text)
    let command = try await CommandRun.run(["account", "add", "--help"], socket: nil)
    #expect(command.text.hasPrefix("usage: keyrack account add NAME --provider NAME [OPTION...]\n"))
    #expect(try await CommandRun.run(["help", "account", "add"], socket: nil).text == command.text)
    #expect(try await CommandRun.run(["help", "account", "frob"], socket: nil).status == 2)
  }
}

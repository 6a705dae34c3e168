// What the commands about accounts and providers take.
extension Command.Definition {
  static var accountAdd: Self {
    Self(
      usage: ["NAME --provider NAME", "NAME --issuer URL"], summary: "add an account, and sign in to it",
      options: [.provider, .issuer, .host, .clientID, .redirectURI, .scopes, .secretFromInput, .noLogin] + Self.ways,
      details: """
        What is missing is asked for on the terminal. Nothing is written before the last question was answered: Ctrl-C
        leaves everything as it was. The account goes into keyrack.conf, a secret into the keyring.
        """)
  }

  static var accountList: Self {
    Self(usage: [""], summary: "list the accounts and their state")
  }

  static var accountRemove: Self {
    Self(
      usage: ["NAME"], summary: "sign out of an account, and remove it", options: [.yes],
      details: """
        A group [provider NAME] that was made for it goes as well, unless another account uses it, and so do its groups
        [use ...].
        """)
  }

  static var importAccount: Self {
    Self(
      usage: ImportFormat.allCases.map { "\($0.rawValue) FILE" },
      summary: "take over an account of another program",
      options: [.account, .provider, .clientID, .noLogin] + Self.ways,
      details: """
        FILE is what the other program has printed, in plain; - is standard input.
        The refresh token is tried at once and kept in the keyring. pizauth gives none away: its configuration is
        taken over, and you sign in anew.
        """)
  }

  static var providerList: Self {
    Self(usage: [""], summary: "list the providers that accounts can be at")
  }

  static var providerShow: Self {
    Self(usage: ["NAME"], summary: "print a provider as the configuration has it, and what it lacks")
  }

  static var providerSecret: Self {
    Self(
      usage: ["NAME"], summary: "keep the client secret of a provider in the keyring",
      options: [.secretFromInput, .remove],
      details: """
        The secret, or the private key of a client that has one, is asked for on the terminal and not shown. A key of
        several lines comes from standard input.
        """)
  }

  /// How one can sign in at once.
  private static var ways: [Option] { [.browser, .device, .paste, .noBrowser] }
}

/// Commands that hand a token to another program in the way that this knows.
extension Command.Definition {
  /// Which token it is to be.
  private static let choices: [Option] = [.idToken, .minimumValidity, .scope, .timeout]

  static var exec: Self {
    Self(
      usage: ["ACCOUNT [--] PROGRAM [ARGUMENT...]"],
      summary: "run a program with a token in its environment",
      options: [.environment] + choices, takesJSON: false,
      details: """
        The program takes the place of keyrack: it gets its input, its signals, and its exit status is the program's; 127
        where there is no such program, 126 where it cannot be run. The token stands in the variable and in no argument.
        It is not renewed there: for what runs for long, see token-file.
        """)
  }

  static var curl: Self {
    Self(
      usage: ["ACCOUNT [--] [OPTION OF CURL...] URL..."],
      summary: "run curl with a token", options: choices, takesJSON: false,
      details: """
        What follows the account is for curl, whose exit status it is. curl reads the token from a pipe, so that it is in
        no argument and standard input stays yours. It goes to the hosts that you name, not to others that they redirect
        to, and over https only, but for this machine (localhost, 127.0.0.1, [::1]). An URL without a scheme is one of
        https, and --netrc of .curlrc does not count. curl prints the token with -v and --trace.
        """)
  }

  static var sasl: Self {
    Self(
      usage: ["ACCOUNT --user NAME"], summary: "print what signs in to a mail server",
      options: [.user, .mechanism, .host, .port, .minimumValidity, .scope, .timeout], takesJSON: false,
      details: """
        Prints the initial response of SASL with the token in it, in base64, and a line feed: for programs that ask a
        command for the response itself. Those that ask for a password and know the mechanism take keyrack token.
        """)
  }

  static var kubeCredential: Self {
    Self(
      usage: ["ACCOUNT"], summary: "print a token as kubectl asks for it",
      options: [.idToken, .minimumValidity, .scope, .timeout], takesJSON: false,
      details: """
        Prints an ExecCredential of the version that KUBERNETES_EXEC_INFO names, or of v1. Clusters that trust an OpenID
        Connect issuer themselves take the id token: --id-token. Nobody is asked anything; where a sign-in is needed it
        fails and says so.
        """)
  }

  static var tokenFile: Self {
    Self(
      usage: ["ACCOUNT PATH"], summary: "keep a token in a file",
      options: [.idToken, .once, .anyFilesystem, .minimumValidity, .scope, .timeout], takesJSON: false,
      details: """
        Writes the token, without a line feed, to a file that only you can read, and runs on: it renews the file before the
        token ends, removes it while there is no session, and at its own end. It waits where the daemon restarts. PATH has
        to be on a tmpfs, such as $XDG_RUNTIME_DIR.
        """)
  }
}

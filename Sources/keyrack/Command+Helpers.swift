// What other programs run by a name of its own, to be asked in their own way.
extension Command {
  private static let helpers: [String: Command] = [
    "git-credential-keyrack": .gitCredential, "docker-credential-keyrack": .dockerCredential,
  ]

  /// What the whole command line tells to do, its first word being the name that the program was started by.
  static func arguments(_ words: [String]) -> [String] {
    let name = words.first?.split(separator: "/").last.map(String.init) ?? ""
    return (helpers[name]?.words ?? []) + words.dropFirst()
  }

  static var gitCredentials: [(String, String)] {
    [
      ("git config --global credential.https://git.example.org.helper keyrack", "have git ask Keyrack"),
      (
        "printf 'protocol=https\\nhost=git.example.org\\n\\n' | keyrack git-credential get",
        "what git gets"
      ),
    ]
  }

  static var dockerCredentials: [(String, String)] {
    [
      ("echo registry.example.org | keyrack docker-credential get", "what docker gets"),
      ("keyrack docker-credential list", "which registries are served"),
    ]
  }
}

extension Command.Definition {
  static var gitCredential: Self {
    Self(
      usage: ["get|store|erase|capability"], summary: "answer git, which asks for a credential", takesJSON: false,
      details: """
        For git to run, as git-credential-keyrack, where its configuration has credential.helper=keyrack. A group
        [use git URL] in keyrack.conf names the account; git is told nothing of other places, and asks its next helper.
        """)
  }

  static var dockerCredential: Self {
    Self(
      usage: ["get|list|store|erase|version"], summary: "answer docker or podman, which ask for a credential",
      takesJSON: false,
      details: """
        For docker to run, as docker-credential-keyrack, where its config.json has "credHelpers" with the registry and
        keyrack. A group [use docker SERVER] in keyrack.conf names the account.
        """)
  }
}

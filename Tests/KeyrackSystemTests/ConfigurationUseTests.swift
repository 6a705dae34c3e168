import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

/// The groups `[use …]`.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationUseTests {
  private static let account = "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n[account a]\nprovider=p\n"
  private static let forms = "a group is [use git URL], [use git URL USERNAME] or [use docker SERVER]"
  private static let https = "use https; plain http is only for localhost, 127.0.0.0/8 and [::1]"
  private static let user = "a user name has no colon and no control character"

  /// What follows line 5.
  static let refusals = [
    Refusal("[use]", "6: [use]: not a whole group", forms),
    Refusal("[use hg https://h]\naccount=a", "6: [use hg https://h]: \"hg\" is not one of git, docker", forms),
    Refusal("[use git]\naccount=a", "6: [use git]: a group without a URL", forms),
    Refusal("[use git  https://h]\naccount=a", "6: [use git  https://h]: too many words or spaces", forms),
    Refusal("[use git https://h a b]\naccount=a", "6: [use git https://h a b]: too many words or spaces", forms),
    Refusal("[use docker h alice]\naccount=a", "6: [use docker h alice]: too many words or spaces", forms),
    Refusal("[use git h]\naccount=a", "6: [use git h]: not a URL", "as in https://git.example.org"),
    Refusal("[use git http://h]\naccount=a", "6: [use git http://h]: plain http to h", https),
    Refusal("[use git ssh://h]\naccount=a", "6: [use git ssh://h]: not an https URL", https),
    Refusal(
      "[use git https://u:pass@h]\naccount=a", "6: [use git …@h]: a name or a password in the URL",
      "remove what stands before the @"),
    Refusal(
      "[use docker u:pass@h]\naccount=a", "6: [use docker …@h]: a name or a password in the URL",
      "remove what stands before the @"),
    Refusal(
      "[use git https://u:pass@h]\nx=1\nx=2", "8: [use git …@h] x: the key is already at line 7",
      "remove one of the two"),
    Refusal(
      "[use git https://h/?a]\naccount=a", "6: [use git https://h/?a]: a query in the URL",
      "write it up to the question mark"),
    Refusal(
      "[use git https://h/#a]\naccount=a", "6: [use git https://h/#a]: a fragment in the URL",
      "remove the # and what follows"),
    Refusal(
      "[use git https://h/a/%2e%2e]\naccount=a", "6: [use git https://h/a/%2e%2e]: a path with . or .. in it",
      "write where it leads"),
    Refusal("[use git https://h/%00]\naccount=a", "6: [use git https://h/%00]: a path that cannot be decoded", nil),
    Refusal(
      "[use git https://h]", "6: [use git https://h] account: missing", "account=NAME, for a group [account NAME]"),
    Refusal(
      "[use git https://h]\naccount=b", "7: [use git https://h] account: there is no group [account b]",
      "write that group, or use one of a"),
    Refusal(
      "[use git https://h]\naccount=a\nuser=x", "8: [use git https://h] user: unknown key",
      "[use] has account, username"),
    Refusal(
      "[use git https://h]\naccount=a\nusername=a:b", "8: [use git https://h] username: not a user name", user),
    Refusal(
      "[use git https://h]\naccount=a\nusername=a\\nb", "8: [use git https://h] username: not a user name", user),
    Refusal("[use git https://h a:b]\naccount=a", "6: [use git https://h a:b]: not a user name", user),
    Refusal(
      "[use git https://h alice]\naccount=a\nusername=b",
      "8: [use git https://h alice] username: the group names the user already", "remove the line"),
    Refusal(
      "[use docker h]\naccount=a\nusername=<token>",
      "8: [use docker h] username: with this name docker takes the token for a refresh token",
      "write the name that the registry documents, or remove the line"),
    Refusal(
      "[use git https://h]\naccount=a\n[use git https://H:443/]\naccount=a",
      "8: [use git https://H:443/]: the same place is already at ~/.config/keyrack/keyrack.conf:6",
      "remove one of the two"),
    Refusal(
      "[use docker h]\naccount=a\n[use docker https://h/]\naccount=a",
      "8: [use docker https://h/]: the same place is already at ~/.config/keyrack/keyrack.conf:6",
      "remove one of the two"),
  ]

  @Test(arguments: refusals) func aWrongGroupIsNamed(refusal: Refusal) async throws {
    let directory = try ConfigurationDirectory()
    try directory.write(Self.account + refusal.text)
    let expected = ConfigurationError("~/.config/keyrack/keyrack.conf:\(refusal.message)", hint: refusal.hint)
    #expect(try await directory.failure() == expected)
  }

  @Test func theGroupsAreRead() async throws {
    let directory = try ConfigurationDirectory()
    try directory.write(
      Self.account + """
        [use git https://h/team]
        account=a
        username=alice
        [use git https://h/team bob@example.org]
        account=a
        [use docker h]
        account=a
        """)
    let uses = try await directory.read().uses
    #expect(uses.map(\.use) == [.git, .git, .docker])
    #expect(uses.map(\.url) == ["https://h/team", "https://h/team", "h"])
    #expect(uses.map(\.user) == [.usually("alice"), .only("bob@example.org"), .anybody])
    #expect(
      uses.map { String(decoding: $0.place.origin + $0.place.path, as: UTF8.self) }
        == ["https://h:443/team/", "https://h:443/team/", "https://h:443/"])
  }

  @Test(arguments: [
    ("https://git.example", "https://git.example/", true), ("https://git.example", "https://GIT.Example:443/x", true),
    ("https://git.example/a/", "https://git.example/a", true),
    ("https://git.example/a", "https://git.example/a/b", true),
    ("https://git.example/a", "https://git.example/ab", false),
    ("https://git.example/a", "https://git.example/A", false),
    ("https://git.example/a", "https://git.example//a//b", true),
    ("https://git.example/a b", "https://git.example/a", false),
    ("https://git.example/%61%20b", "https://git.example/a%20b/c", true),
    ("https://git.example/%C3%A9", "https://git.example/e%CC%81", false),
    ("https://git.example:8443", "https://git.example", false), ("http://127.0.0.1:80", "http://127.0.0.1", true),
    ("https://127.0.0.1", "http://127.0.0.1", false), ("http://127.0.0.1:443", "https://127.0.0.1", false),
    ("https://git.example", "https://git.example.org", false), ("https://git.example", "https://git.example?x", false),
    ("https://git.example", "https://a@git.example", false),
    ("https://git.example/a", "https://git.example/a/../b", false),
    ("https://git.example/a", "https://git.example/a/%2e%2e/b", false), ("https://git.example", "https://", false),
    ("https://git.example", "", false), ("https://git.example", "\0", false),
  ])
  func placesAreComparedByWhatTheyMean(_ outer: String, _ inner: String, _ contains: Bool) throws {
    let files = try ConfigurationFiles(environment: ["HOME": "/nonexistent"])
    let place = files.place(inner, for: .git)
    #expect((files.place(outer, for: .git).flatMap { outer in place.map(outer.contains) } ?? false) == contains)
  }

  @Test func aRegistryGoesByItsName() throws {
    let files = try ConfigurationFiles(environment: ["HOME": "/nonexistent"])
    let place = try #require(files.place("registry.example.org", for: .docker))
    #expect(files.place("https://registry.example.org/v1/", for: .docker).map(place.contains) == true)
    #expect(files.place("registry.example.org/team/image", for: .docker).map(place.contains) == true)
    #expect(files.place("registry.example.org:5000", for: .docker).map(place.contains) == false)
    #expect(files.place("registry.example.org", for: .git) == nil)
  }
}

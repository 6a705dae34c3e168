import FoundationEssentials
import KeyrackCore
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationFilesTests {
  let directory: ConfigurationDirectory

  init() throws { directory = try ConfigurationDirectory() }

  @Test func noFileAtAllIsAnEmptyConfiguration() async throws {
    #expect(try await directory.groups() == Configuration())
  }

  @Test func anEmptyFileIsAnEmptyConfiguration() async throws {
    try directory.write("")
    #expect(try await directory.groups() == Configuration())
  }

  @Test func everyKeyOfAnOAuthProviderIsRead() async throws {
    let authority = try directory.write("PEM", to: "ca.pem")
    try directory.write(
      """
      # A comment.
      [provider corp]
      kind=oauth
      ca_file=~/.config/keyrack/ca.pem
      issuer=https://sso.example.org
      client_id=keyrack
      token_endpoint=https://sso.example.org/token?tenant=1
      revocation_endpoint=https://sso.example.org/revoke
      password_grant=true

      [account work]
      provider=corp
      scopes=openid;offline_access;mail
      """)
    let oauth = Provider.OAuth(
      issuer: "https://sso.example.org", clientID: "keyrack", tokenEndpoint: "https://sso.example.org/token?tenant=1",
      revocationEndpoint: "https://sso.example.org/revoke", allowsPasswordGrant: true)
    let corp = Provider(name: "corp", kind: .oauth(oauth), host: "sso.example.org:443", caFile: CAFile(authority))
    let work = Account(name: "work", provider: corp, scopes: ["openid", "offline_access", "mail"])
    #expect(try await directory.groups() == Configuration(providers: ["corp": corp], accounts: ["work": work]))
  }

  @Test func everyKeyOfAJSONProviderIsRead() async throws {
    try directory.write(
      """
      [provider app]
      kind=json
      login_url=https://app.example.org/login
      refresh_url=https://app.example.org/refresh
      logout_url=https://app.example.org/logout
      username_member=user
      password_member=pass
      access_token_member=at
      refresh_token_member=rt
      expires_in_member=ttl
      """)
    var json = Provider.JSONLogin(
      loginURL: "https://app.example.org/login", refreshURL: "https://app.example.org/refresh",
      logoutURL: "https://app.example.org/logout")
    json.usernameMember = "user"
    json.passwordMember = "pass"
    json.accessTokenMembers = ["at"]
    json.refreshTokenMembers = ["rt"]
    json.expiresInMembers = ["ttl"]
    let app = Provider(name: "app", kind: .json(json), host: "app.example.org:443")
    #expect(try await directory.groups() == Configuration(providers: ["app": app]))
  }

  /// The same two groups, written in ways that all mean the same.
  @Test(arguments: [
    "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n[account a]\nprovider=p\n",
    "[account a]\r\nprovider=p\r\n\r\n[provider p]\r\nclient_id=c\r\ntoken_endpoint=https://h/t\r\n",
    "\n  # a comment\n [provider p] \n client_id = c \n\ttoken_endpoint =\thttps://h/t  \n[account a]\nprovider= p \nscopes=",
    "[provider p]\nkind=oauth\nclient_id=c\ntoken_endpoint=https://h/t\npassword_grant=false\n[account a]\nprovider=p\nscopes=",
  ])
  func spaceCommentsAndLineEndsDoNotMatter(text: String) async throws {
    try directory.write(text)
    let oauth = Provider.OAuth(clientID: "c", tokenEndpoint: "https://h/t")
    let provider = Provider(name: "p", kind: .oauth(oauth), host: "h:443")
    let expected = Configuration(providers: ["p": provider], accounts: ["a": Account(name: "a", provider: provider)])
    #expect(try await directory.groups() == expected)
  }

  @Test func valuesMayHoldEscapesAndEqualsSigns() async throws {
    try directory.write("[provider p]\nclient_id=a=b\\\\c\\sd\ntoken_endpoint=http://127.0.0.1:8/t\n")
    guard case .oauth(let oauth) = try await directory.read().providers["p"]?.kind else {
      Issue.record("no provider p")
      return
    }
    #expect(oauth.clientID == "a=b\\c d")
  }

  @Test func scopesMayHaveSpaceAroundThem() async throws {
    try directory.write(
      "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n[account a]\nprovider=p\nscopes=x; y ;\n")
    #expect(try await directory.read().accounts["a"]?.scopes == ["x", "y"])
  }

  @Test func filesOfTheDirectoryAreReadAfterTheMainOne() async throws {
    try directory.write("[account a]\nprovider=p\n")
    try directory.write("[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n", to: "keyrack.conf.d/p.conf")
    try directory.write("[account b]\nprovider=p\n", to: "keyrack.conf.d/b.conf")
    try directory.write("not read", to: "keyrack.conf.d/b.conf~")
    try directory.write("not read", to: "keyrack.conf.d/.hidden.conf")
    #expect(try await directory.read().accounts.keys.sorted() == ["a", "b"])
  }

  @Test func aFileFullOfGroupsIsReadInTime() async throws {
    var text = "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n"
    for number in 1...10_000 { text += "[account user-\(number)]\nprovider=p\n" }
    try directory.write(text)
    let start = ContinuousClock.now
    #expect(try await directory.read().accounts.count == 10_000)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func theFirstBrokenFileByBytesIsTheOneNamed() async throws {
    for name in ["b.conf", "a.conf", "Z.conf"] { try directory.write("?", to: "keyrack.conf.d/\(name)") }
    let message = try await directory.failure()?.message
    #expect(message?.hasPrefix("~/.config/keyrack/keyrack.conf.d/Z.conf:1: ") == true)
  }

  @Test(arguments: [
    (["HOME": "/h"], "/h/.config/keyrack"), (["HOME": "/h", "XDG_CONFIG_HOME": "/x"], "/x/keyrack"),
    (["HOME": "/h", "XDG_CONFIG_HOME": "x"], "/h/.config/keyrack"),
  ])
  func theDirectoryIsFoundAsXDGSays(environment: [String: String], directory: String) throws {
    #expect(try ConfigurationFiles(environment: environment) == ConfigurationFiles(directory: directory, home: "/h"))
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "h"]])
  func withoutAHomeThereIsNothingToRead(environment: [String: String]) {
    #expect(throws: ConfigurationError("HOME is not an absolute path", hint: "start Keyrack with HOME set")) {
      try ConfigurationFiles(environment: environment)
    }
  }
}

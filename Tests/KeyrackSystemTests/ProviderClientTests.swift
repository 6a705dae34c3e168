import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct ProviderClientTests {
  private static let tokens = answer(200, #"{"access_token":"at","refresh_token":"rt"}"#)
  private static let grant = TokenOutcome.success(Grant(accessToken: Secret("at"), refreshToken: Secret("rt")))

  private func client() throws -> ProviderClient { ProviderClient(http: try HTTPClient()) }

  private func oauth(
    _ server: ScriptedServer, password: Bool = true, revocation: Bool = true, scopes: [String] = [],
    _ change: (inout ProviderHabits) -> Void = { _ in }
  ) -> Account {
    var habits = ProviderHabits()
    change(&habits)
    let oauth = Provider.OAuth(
      clientID: "key rack", tokenEndpoint: server.url + "/token",
      revocationEndpoint: revocation ? server.url + "/revoke" : nil, allowsPasswordGrant: password)
    return Account(name: "work", provider: Provider(name: "corp", kind: .oauth(oauth), habits: habits), scopes: scopes)
  }

  private func json(_ server: ScriptedServer, _ change: (inout Provider.JSONLogin) -> Void = { _ in }) -> Account {
    var json = Provider.JSONLogin(
      loginURL: server.url + "/login", refreshURL: server.url + "/refresh", logoutURL: server.url + "/logout")
    change(&json)
    return Account(name: "home", provider: Provider(name: "api", kind: .json(json)))
  }

  private func revocation(_ account: Account, refreshToken: String? = "r/t", accessToken: String? = "at") -> Revocation
  {
    Revocation(
      session: SessionID(), account: account.name, provider: account.provider.name,
      audience: account.provider.audience, refreshToken: refreshToken.map { Secret($0) },
      accessToken: accessToken.map { Secret($0) }, since: 0)
  }

  // MARK: OAuth

  @Test(arguments: [("google:work", "google"), ("corp", "corp"), ("https://a.test", "https://a.test")])
  func aProviderIsCalledWhatPeopleKnow(name: String, shown: String) async throws {
    let account = Account(name: "work", provider: Provider(name: name, kind: .oauth(.init(clientID: "c"))))
    let outcome = try await ProviderClient(http: HTTPClient()).refresh(Secret("rt"), for: .standard, account: account)
    #expect(outcome == .notSent("the provider \(shown) has no token endpoint"))
  }

  @Test func aPasswordArrivesAsTheFormOfRFC6749() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let outcome = try await client().signIn(
      username: "me@example.org", password: Secret("p@ss+w0rd&x=%ü "),
      account: oauth(server, scopes: ["mail", "offline"]))
    #expect(outcome == Self.grant)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /token HTTP/1.1")
    #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    #expect(
      request.body == "grant_type=password&username=me%40example.org&password=p%40ss%2Bw0rd%26x%3D%25%C3%BC%20"
        + "&client_id=key%20rack&scope=mail%20offline")
    let form = FormEncoding.members(request.body.utf8)
    #expect(form?["password"] == "p@ss+w0rd&x=%ü ")
  }

  @Test func aPasswordIsNotSentWhereTheGrantIsNotConfigured() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let outcome = try await client().signIn(
      username: "me", password: Secret("pw"), account: oauth(server, password: false))
    #expect(outcome == .rejected(Rejection(.request, "the provider corp is not configured to take a password")))
    #expect(server.connections == 0)
  }

  @Test func aRefreshIsTheFormOfRFC6749() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    #expect(try await client().refresh(Secret("r/t"), for: .standard, account: oauth(server)) == Self.grant)
    #expect(
      server.requests.map(\.body) == ["grant_type=refresh_token&refresh_token=r%2Ft&client_id=key%20rack"])
  }

  @Test func anEchoedTokenIsNotRepeated() async throws {
    let body = #"{"error":"invalid_grant","error_description":"no such token: r/t"}"#
    let server = ScriptedServer(answers: [answer(400, body)])
    let outcome = try await client().refresh(Secret("r/t"), for: .standard, account: oauth(server))
    #expect(
      outcome
        == .rejected(
          Rejection(
            .grant(.revoked), "127.0.0.1:\(server.port) answered HTTP 400 invalid_grant: no such token: <redacted>")))
  }

  @Test func aRefreshIsNotRepeatedWhenTheConnectionDies() async throws {
    let server = ScriptedServer { peer in _ = peer.readRequest() }
    let client = try client()
    for count in 1...3 {
      guard case .unknown = await client.refresh(Secret("rt"), for: .standard, account: oauth(server)) else {
        Issue.record("known")
        return
      }
      #expect(server.requests.count == count)
    }
  }

  @Test func aDeadServerIsNotSent() async throws {
    let provider = Provider(
      name: "corp", kind: .oauth(.init(clientID: "id", tokenEndpoint: "http://127.0.0.1:1/token")))
    let outcome = try await client().refresh(
      Secret("rt"), for: .standard, account: Account(name: "work", provider: provider))
    #expect(outcome == .notSent("could not connect to 127.0.0.1:1: Connection refused"))
  }

  @Test func anEndpointThatIsNotSafeIsNotUsed() async throws {
    let provider = Provider(
      name: "corp", kind: .oauth(.init(clientID: "id", tokenEndpoint: "http://sso.example.org/token")))
    let outcome = try await client().refresh(
      Secret("rt"), for: .standard, account: Account(name: "work", provider: provider))
    #expect(outcome == .notSent("an endpoint of the provider corp is plain http to sso.example.org"))
  }

  // MARK: Habits

  @Test func aProviderMayTakeJSONAndMoreParameters() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let account = oauth(server, scopes: ["mail", "offline"]) {
      $0.tokenBody = .json
      $0.scopeSeparator = ","
      $0.tokenParameters = [.init(name: "audience", value: "a&b"), .init(name: "x", value: "1")]
      $0.refreshParameters = [.init(name: "x", value: "2")]
    }
    let client = try client()
    #expect(await client.signIn(username: "me", password: Secret("p\""), account: account) == Self.grant)
    let target = TokenTarget(scopes: ["mail"], resources: ["https://b", "https://a"])
    #expect(await client.refresh(Secret("rt"), for: target, account: account) == Self.grant)
    #expect(
      server.requests.map(\.body) == [
        #"{"grant_type":"password","username":"me","password":"p\"","client_id":"key rack","scope":"mail,offline","#
          + #""audience":"a&b","x":"1"}"#,
        #"{"grant_type":"refresh_token","refresh_token":"rt","client_id":"key rack","scope":"mail","#
          + #""resource":["https://b","https://a"],"audience":"a&b","x":"2"}"#,
      ])
    #expect(server.requests.allSatisfy { $0.headers["content-type"] == "application/json" })
  }

  @Test(
    arguments: [
      (false, [], [], ""), (true, [], [], "&scope=mail%20offline"), (true, ["mail"], [], "&scope=mail"),
      (
        false, ["b", "a"], ["https://h/1", "https://h/2"],
        "&scope=a%20b&resource=https%3A%2F%2Fh%2F1&resource=https%3A%2F%2Fh%2F2"
      ),
    ] as [(Bool, [String], [String], String)])
  func aRefreshNamesWhatItIsFor(sends: Bool, scopes: [String], resources: [String], rest: String) async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let account = oauth(server, scopes: ["mail", "offline"]) { $0.sendsScopeOnRefresh = sends }
    let target = TokenTarget(scopes: scopes, resources: resources)
    #expect(try await client().refresh(Secret("rt"), for: target, account: account) == Self.grant)
    let form = "grant_type=refresh_token&refresh_token=rt&client_id=key%20rack"
    #expect(server.requests.map(\.body) == [form + rest])
  }

  @Test func aRefreshGoesToAnEndpointOfItsOwnWhereThereIsOne() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let account = oauth(server) { $0.refreshEndpoint = server.url + "/refresh?a=b" }
    let client = try client()
    _ = await client.refresh(Secret("rt"), for: .standard, account: account)
    _ = await client.signIn(username: "me", password: Secret("pw"), account: account)
    #expect(server.requests.map(\.line) == ["POST /refresh?a=b HTTP/1.1", "POST /token HTTP/1.1"])
  }

  @Test func aRefreshThatIsSentElsewhereIsNot() async throws {
    let server = ScriptedServer(answers: [answer(307, headers: ["Location: http://portal.example/login"])])
    let outcome = try await client().refresh(Secret("rt"), for: .standard, account: oauth(server))
    #expect(
      outcome == .notSent("127.0.0.1:\(server.port) answered HTTP 307, a redirect to portal.example:80"))
    #expect(server.connections == 1)
  }

  @Test func everyRequestSaysWhoAsksAndForWhat() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let client = try client()
    for account in [oauth(server), json(server)] {
      _ = await client.signIn(username: "me", password: Secret("pw"), account: account)
      _ = await client.refresh(Secret("rt"), for: .standard, account: account)
      _ = await client.revoke(revocation(account), provider: account.provider)
    }
    #expect(server.requests.count == 6)
    for request in server.requests {
      #expect(request.headers["accept"] == "application/json")
      #expect(request.headers["user-agent"] == "keyrack/\(Keyrack.version)")
    }
  }

  // MARK: JSON logins

  @Test func aJSONLoginGetsItsOwnMembers() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    let account = json(server) {
      $0.usernameMember = "user"
      $0.passwordMember = "pass\"word"
    }
    let outcome = try await client().signIn(
      username: "me@example.org", password: Secret("p@ss+w0rd&x\"\\\n"), account: account)
    #expect(outcome == Self.grant)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /login HTTP/1.1")
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.body == #"{"user":"me@example.org","pass\"word":"p@ss+w0rd&x\"\\\n"}"#)
  }

  @Test func aJSONSessionIsRefreshedWhereThereIsAWay() async throws {
    let server = ScriptedServer(answers: [Self.tokens])
    #expect(try await client().refresh(Secret("rt"), for: .standard, account: json(server)) == Self.grant)
    #expect(server.requests.map(\.line) == ["POST /refresh HTTP/1.1"])
    #expect(server.requests.map(\.body) == [#"{"refresh_token":"rt"}"#])
    let outcome = try await client().refresh(
      Secret("rt"), for: .standard, account: json(server) { $0.refreshURL = nil })
    #expect(outcome == .rejected(Rejection(.request, "the provider api has no refresh_url")))
  }

  @Test(
    arguments: [
      ("rt", "at", #"{"refresh_token":"rt"}"#, "Bearer at"), (nil, "at", "", "Bearer at"),
      ("rt", nil, #"{"refresh_token":"rt"}"#, nil),
    ] as [(String?, String?, String, String?)])
  func aJSONLogoutNamesWhatThereIs(
    refreshToken: String?, accessToken: String?, body: String, authorization: String?
  ) async throws {
    let server = ScriptedServer(answers: [answer(204)])
    let account = json(server)
    let revocation = revocation(account, refreshToken: refreshToken, accessToken: accessToken)
    #expect(try await client().revoke(revocation, provider: account.provider) == .done)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /logout HTTP/1.1")
    #expect(request.body == body)
    #expect(request.headers["authorization"] == authorization)
    #expect(request.headers["content-type"] == (body.isEmpty ? nil : "application/json"))
  }

  @Test func aJSONLoginWithoutALogoutCannotBeTold() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    let account = json(server) { $0.logoutURL = nil }
    #expect(try await client().revoke(revocation(account), provider: account.provider) == .unsupported)
    #expect(server.connections == 0)
  }
}

import FoundationEssentials
import KeyrackProtocol
import TestSupport
import Testing

/// How a provider takes a sign-in.
enum ProviderKind: String, CaseIterable, Sendable {
  case oauth, json

  /// Where the password goes.
  var path: String { self == .oauth ? "/token" : "/login" }

  func configuration(_ provider: SampleProvider) -> String {
    self == .oauth ? KeyrackFixture.oauth(provider) : KeyrackFixture.json(provider)
  }

  func fixture(accessLifetime: Double = 3600) async throws -> KeyrackFixture {
    try await KeyrackFixture(accessLifetime: accessLifetime, configuration: configuration)
  }

  /// What a request carried as the name and the password.
  func credentials(_ request: SampleProvider.LoggedRequest) -> [String?] {
    self == .oauth
      ? [request.form?["username"], request.form?["password"]] : [request.json?["email"], request.json?["password"]]
  }
}

extension KeyrackFixture {
  /// The error that a sign-in ends in.
  func denial(username: String = "alice", password: String = KeyrackFixture.password) async throws -> ReplyError {
    try await daemon.failure(LoginOperation(account: "work", username: username, password: Secret(password)))
  }
}

/// Signing in with a password that the provider takes or refuses.
@Suite(.timeLimit(.minutes(2))) struct LoginTests {
  @Test(arguments: ProviderKind.allCases)
  func aWrongPasswordAndAnUnknownUserAreToldTheSame(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    let wire = try Wire(fixture.daemon.socket)
    var answers: [String] = []
    for (id, username) in ["alice", "nobody"].enumerated() {
      let login = LoginOperation(account: "work", username: username, password: Secret("not-it-\(id)"))
      try await wire.send(login.line(id: .number(7)))
      answers.append(try #require(try await wire.line()))
    }
    #expect(answers[0] == answers[1])
    let error = try await fixture.denial(password: "wrong")
    #expect(error.code == .loginDenied)
    #expect(error.message == "Email or password is incorrect.")
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.status(of: "work").state == .signedOut)
  }

  @Test(
    arguments: ProviderKind.allCases,
    ["p@ss+w0rd&x", #"quote " apostrophe ' back\slash é = % 🔑"#])
  func aPasswordArrivesAsItWasGiven(_ kind: ProviderKind, _ password: String) async throws {
    let fixture = try await kind.fixture()
    try await fixture.provider.set(.init(users: ["zoë+1": password]))
    try await fixture.signIn(username: "zoë+1", password: password)
    let requests = try await fixture.provider.log()
    #expect(requests.map(\.path) == [kind.path])
    #expect(requests.map(kind.credentials) == [["zoë+1", password]])
    // Byte for byte: Swift takes two spellings of é for equal.
    let arrived = try #require(kind.credentials(requests[0])[1])
    #expect(arrived.utf8.elementsEqual(password.utf8))
  }

  @Test func aJSONLoginIsOnePostToTheConfiguredURL() async throws {
    let fixture = try await KeyrackFixture { provider in
      """
      [provider corp]
      kind=json
      login_url=\(provider.url("/login"))
      username_member=login
      password_member=pass phrase
      [account work]
      provider=corp
      """
    }
    try await fixture.provider.script("/login", body: #"{"accessToken":"at-1","refreshToken":"rt-1"}"#)
    try await fixture.signIn()
    let requests = try await fixture.provider.log()
    #expect(requests.count == 1)
    let request = try #require(requests.first)
    #expect([request.method, request.path, request.query] == ["POST", "/login", ""])
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.json == ["login": "alice", "pass phrase": KeyrackFixture.password])
    #expect(try await fixture.token() == "at-1")
  }

  @Test(arguments: ProviderKind.allCases)
  func twoSignInsAtOnceAreOneRequest(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.provider.script(kind.path, hold: true)
    async let first = fixture.signIn()
    try await fixture.provider.waitForRequests(kind.path)
    #expect(try await fixture.status(of: "work").state == .signingIn)
    #expect(try await fixture.denial().code == .loginInProgress)
    try await fixture.provider.release(kind.path)
    #expect(try await first.remembered)
    #expect(try await fixture.provider.log().count == 1)
    #expect(try await fixture.status(of: "work").state == .active)
  }

  @Test(arguments: ProviderKind.allCases)
  func whatACanceledSignInIsGrantedIsRevoked(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.provider.script(kind.path, hold: true)
    async let login = fixture.denial()
    try await fixture.provider.waitForRequests(kind.path)
    #expect(try await fixture.daemon.call(CancelOperation(account: "work")).canceled)
    #expect(try await login.code == .loginCanceled)
    #expect(try await fixture.provider.tokens().isEmpty == false)
    try await fixture.provider.release(kind.path)
    try await fixture.provider.waitForRequests(kind == .oauth ? "/revoke" : "/logout")
    try await eventually("the end of the outbox") {
      try await fixture.daemon.call(StatusOperation()).outbox.isEmpty
    }
    #expect(try await fixture.provider.tokens().isEmpty)
    #expect(try await fixture.session.items().isEmpty)
    #expect(try await fixture.status(of: "work").state == .signedOut)
    #expect(try await fixture.daemon.call(CancelOperation(account: "work")).canceled == false)
  }
}

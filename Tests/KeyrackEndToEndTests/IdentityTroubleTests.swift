import KeyrackProtocol
import TestSupport
import Testing

/// An id_token that is not to be believed, as a person sees it who signs in or asks for a token.
@Suite(.timeLimit(.minutes(2))) struct IdentityTroubleTests {
  struct Case: Sendable {
    let idToken: String
    let message: String
    let hint: String
  }

  static let cases = [
    Case(
      idToken: SignedIDTokens.otherClient, message: "the id_token is not valid: its aud is another client",
      hint: "check client_id of its provider in keyrack.conf"),
    Case(
      idToken: SignedIDTokens.otherIssuer, message: "the id_token is not valid: its iss is another issuer",
      hint: "check issuer of its provider in keyrack.conf"),
    Case(
      idToken: SignedIDTokens.expired, message: "the id_token is not valid: it has expired (exp)",
      hint: "see whether the clock of this machine is right"),
    Case(
      idToken: SignedIDTokens.future,
      message: "the id_token is not valid: it was issued in the future (iat): is the clock right?",
      hint: "see whether the clock of this machine is right"),
    Case(
      idToken: SignedIDTokens.forged, message: "the id_token is not valid: its signature is wrong",
      hint: "if it comes again, tell whoever runs the provider"),
  ]

  /// What only a sign-in, or only a refresh, can tell.
  static let ofSignIn = Case(
    idToken: SignedIDTokens.nonce, message: "the id_token is not valid: it has a nonce that was not asked for",
    hint: "if it comes again, tell whoever runs the provider")
  static let ofRefresh = Case(
    idToken: SignedIDTokens.bob, message: "the id_token of the refresh is of another subject",
    hint: "if it comes again, tell whoever runs the provider")

  private func fixture() async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture { provider in
      """
      [provider corp]
      issuer=\(SignedIDTokens.issuer)
      discovery=none
      client_id=keyrack-test
      token_endpoint=\(provider.url("/token"))
      revocation_endpoint=\(provider.url("/revoke"))
      jwks_uri=\(provider.url("/jwks"))
      password_grant=true
      scopes=openid
      [account work]
      provider=corp

      """
    }
    return fixture
  }

  /// The next answer of the token endpoint.
  private func grant(_ number: Int, _ idToken: String, _ fixture: KeyrackFixture) async throws {
    let tokens = #""access_token":"at-\#(number)","refresh_token":"rt-\#(number)","expires_in":3600"#
    try await fixture.provider.script("/token", status: 200, body: #"{\#(tokens),"id_token":"\#(idToken)"}"#)
  }

  private func publishKeys(_ fixture: KeyrackFixture) async throws {
    try await fixture.provider.script("/jwks", count: 100, status: 200, body: SignedIDTokens.keys)
  }

  private func logIn(_ fixture: KeyrackFixture) async throws -> Child.Result {
    try await fixture.daemon.keyrack("login", "work", "--username", "alice", "--password-stdin", input: "x\n")
  }

  @Test func atASignInItIsSaidWhatIsWrongAndNothingIsKept() async throws {
    let fixture = try await fixture()
    try await publishKeys(fixture)
    for row in Self.cases + [Self.ofSignIn] {
      try await grant(1, row.idToken, fixture)
      let run = try await logIn(fixture)
      #expect(run.status == 1)
      #expect(run.error == "keyrack: work: \(row.message)\nkeyrack: hint: \(row.hint)\n")
      #expect(fixture.daemon.said.contains(" failed: \(row.message)\n"))
    }
    #expect(try await fixture.status(of: "work").state == .signedOut)
    #expect(try await fixture.session.items().isEmpty)
  }

  @Test func atARefreshTokenStatusAndCheckSayTheSameAndNobodyGetsTheToken() async throws {
    let fixture = try await fixture()
    try await publishKeys(fixture)
    for (number, row) in (Self.cases + [Self.ofRefresh]).enumerated() {
      try await grant(2 * number, SignedIDTokens.alice, fixture)
      #expect(try await logIn(fixture).error == "signed in to work as alice\n")
      try await grant(2 * number + 1, row.idToken, fixture)
      let run = try await fixture.daemon.keyrack("token", "work", "--rejected-stdin", input: "at-\(2 * number)\n")
      let trouble = "the answer to the last refresh cannot be trusted (\(row.message))"
      let hint = "keyrack login work; \(row.hint)"
      #expect(run.status == 3 && run.output.isEmpty)
      #expect(run.error == "keyrack: work: \(trouble)\nkeyrack: hint: \(hint)\n")
      let status = try await fixture.daemon.keyrack("status").output
      #expect(status.contains("login required (policy)"))
      #expect(status.contains("\nwork: \(trouble) (") && status.contains("\nwork: to sign in: \(hint)\n"))
      let check = try await fixture.daemon.keyrack("check")
      #expect(check.status == 1 && check.output.hasSuffix("fail account work: \(trouble)\n     \(hint)\n"))
      #expect(fixture.daemon.said.contains("error: work: \(trouble)\n"))
    }
  }

  @Test func keysThatCannotBeHadAreTheReasonWhyThereIsNoIDToken() async throws {
    let fixture = try await fixture()
    try await publishKeys(fixture)
    try await grant(1, SignedIDTokens.alice, fixture)
    _ = try await logIn(fixture)
    // The keys are no longer known after that.
    try await fixture.daemon.restart()
    try await fixture.provider.set(.init())
    try await fixture.provider.reset()
    try await fixture.provider.script("/jwks", count: 100, status: 503)
    try await grant(2, SignedIDTokens.alice, fixture)
    #expect(try await fixture.daemon.keyrack("token", "work").output == "at-2\n")
    try await grant(3, SignedIDTokens.alice, fixture)
    let first = try await fixture.daemon.keyrack("token", "work", "--id-token")
    #expect(first.status == 4 && first.output.isEmpty)
    #expect(first.error.hasPrefix("keyrack: work: could not get the keys of the provider: 127.0.0.1:"))
    #expect(first.error.contains("answered HTTP 503\nkeyrack: hint: keyrack check looks for the cause; where it "))
    // No refresh is spent on finding that out again.
    let requests = try await fixture.provider.log().count
    #expect(try await fixture.daemon.keyrack("token", "work", "--id-token").status == 4)
    #expect(try await fixture.provider.log().count == requests)
    #expect(try await fixture.token().hasPrefix("at-"))
  }

  @Test func somebodyElseThanLastTimeIsNamedAndNothingChanges() async throws {
    let fixture = try await fixture()
    try await publishKeys(fixture)
    try await grant(1, SignedIDTokens.alice, fixture)
    _ = try await logIn(fixture)
    try await grant(2, SignedIDTokens.bob, fixture)
    let run = try await logIn(fixture)
    #expect(run.status == 1)
    #expect(
      run.error == """
        keyrack: work: bob signed in, and last time it was alice: nothing has changed
        keyrack: hint: keyrack login work --force, if that is meant

        """)
    #expect(fixture.daemon.said.contains(" failed: somebody else signed in than last time\n"))
    #expect(try await fixture.token() == "at-1")
  }
}

import KeyrackCore
import KeyrackProtocol
import Synchronization
import Testing

@Suite(OneQueue(), .timeLimit(.minutes(1))) struct BrowserSignInTests {
  static let redirectURI = "http://127.0.0.1:7777/callback/corp"

  private func bench(_ change: (inout Provider.OAuth) -> Void = { _ in }) -> Bench {
    Bench(signingInAt: change)
  }

  @Test func aCodeBecomesASession() async throws {
    let bench = bench()
    let login = await bench.logIn()
    #expect(
      login.events == [.authorize(.init(url: "https://sso.example/authorize?state=state-1", expiresAt: 1_000_600))])
    #expect(try await bench.status().state == .signingIn)
    #expect(try await bench.status().pendingLogin?.url == "https://sso.example/authorize?state=state-1")
    #expect(await bench.bring(answer()) == .signedIn)
    #expect(try await login.outcome().get().account == "work")
    #expect(bench.asked == ["authorize \(Self.redirectURI)", "exchange code verifier-1", "identify nonce-1"])
    #expect(bench.redirects.open.isEmpty)
    #expect(try await bench.ask().value.get().token == Secret("at-1"))
    #expect(await bench.store.contents.records.map(\.refreshToken) == [Secret("rt-1")])
  }

  @Test func aWrongStateConsumesNothing() async throws {
    let bench = bench()
    let login = await bench.logIn()
    #expect(await bench.bring(answer(state: "state-9")) == .unknownState)
    #expect(await bench.bring(answer(state: "state-1"), at: "http://127.0.0.1:7777/callback/other") == .unknownState)
    #expect(await bench.bring(answer()) == .signedIn)
    #expect(try await login.outcome().get().account == "work")
  }

  @Test func aSecondDeliveryChangesNothing() async throws {
    let bench = bench()
    _ = await bench.logIn()
    #expect(await bench.bring(answer()) == .signedIn)
    #expect(await bench.bring(answer()) == .alreadyUsed)
    #expect(bench.asked.count { $0.hasPrefix("exchange") } == 1)
  }

  @Test(arguments: [
    (answer(error: "access_denied"), ErrorCode.loginDenied), (answer(error: "invalid_scope"), .loginFailed),
    (answer(error: "server_error"), .temporarilyUnavailable), (answer(code: nil), .loginFailed),
    (answer(issuer: "https://evil.example"), .loginFailed), (answer(issuer: "https://sso.example/"), .loginFailed),
  ])
  func aRefusalInTheBrowserEndsTheSignIn(response: AuthorizationResponse, code: ErrorCode) async throws {
    let bench = bench()
    let login = await bench.logIn()
    let page = await bench.bring(response)
    #expect(page == (code == .loginDenied ? .denied : page))
    #expect(page != .signedIn)
    #expect(await login.outcome().code == code)
    #expect(!bench.asked.contains { $0.hasPrefix("exchange") })
    #expect(bench.redirects.open.isEmpty)
  }

  @Test func theIssuerThatIsConfiguredMayAnswer() async throws {
    let bench = bench()
    _ = await bench.logIn()
    #expect(await bench.bring(answer(issuer: "https://sso.example")) == .signedIn)
  }

  @Test func aPromisedIssuerMustBeThere() async throws {
    let bench = bench { $0.endpoints.promisesIssuer = true }
    let login = await bench.logIn()
    _ = await bench.bring(answer())
    #expect(await login.outcome().code == .loginFailed)
  }

  @Test func aRefusalNeedsNoIssuer() async throws {
    let bench = bench { $0.endpoints.promisesIssuer = true }
    let login = await bench.logIn()
    #expect(await bench.bring(answer(error: "access_denied")) == .denied)
    #expect(await login.outcome().code == .loginDenied)
  }

  @Test(arguments: [
    ("https://sso.example", true), ("https://sso.example/realm", true), ("https://sso.example.evil", false),
  ])
  func withoutAConfiguredIssuerItIsOfTheSameOrigin(issuer: String, isTaken: Bool) async throws {
    let bench = bench { $0.issuer = nil }
    let login = await bench.logIn()
    _ = await bench.bring(answer(issuer: issuer))
    #expect(await login.outcome().code == (isTaken ? nil : .loginFailed))
  }

  @Test func aSecondLoginJoinsTheFirst() async throws {
    let bench = bench()
    let first = await bench.logIn()
    let second = await bench.logIn()
    #expect(second.events == first.events)
    _ = await bench.bring(answer())
    #expect(try await first.outcome().get() == second.outcome().get())
    #expect(bench.asked.count { $0.hasPrefix("authorize") } == 1)
  }

  @Test(arguments: [
    LoginOperation(account: "work", username: "bob"), LoginOperation(account: "work", remember: false),
    LoginOperation(account: "work", method: .device), LoginOperation(account: "work", method: .paste),
    LoginOperation(account: "work", force: true),
    LoginOperation(account: "work", method: .password, username: "bob", password: Secret("x")),
  ])
  func anotherLoginDoesNot(request: LoginOperation) async throws {
    let bench = bench {
      $0.allowsPasswordGrant = true
      $0.endpoints.deviceAuthorization = "https://sso.example/device"
    }
    _ = await bench.logIn()
    #expect(await bench.coordinator.login(request).code == .loginInProgress)
  }

  @Test func cancelingEndsItForAll() async throws {
    let bench = bench()
    let logins = [await bench.logIn(), await bench.logIn()]
    #expect(try await bench.coordinator.cancel(CancelOperation(account: "work")).get().canceled)
    for login in logins { #expect(await login.outcome().code == .loginCanceled) }
    await QueueExecutor.shared.settle()
    #expect(bench.redirects.open.isEmpty)
    #expect(await bench.bring(answer()) == .unknownState)
    #expect(try await !bench.coordinator.cancel(CancelOperation(account: "work")).get().canceled)
  }

  @Test func nobodySignsInForTenMinutes() async throws {
    let bench = bench()
    let login = await bench.logIn()
    await bench.clock.run(.seconds(599))
    #expect(try await bench.status().state == .signingIn)
    await bench.clock.run(.seconds(1))
    #expect(await login.outcome().code == .loginExpired)
    #expect(bench.redirects.open.isEmpty)
    #expect(await bench.bring(answer()) == .unknownState)
  }

  @Test func aPushedRequestEndsWhenTheProviderSays() async throws {
    let bench = bench()
    bench.signIns.change { $0.authorizationLifetime = .seconds(60) }
    let login = await bench.logIn()
    await bench.clock.run(.seconds(60))
    #expect(await login.outcome().code == .loginExpired)
  }

  @Test func nothingIsAskedWhileTheKeyringIsLocked() async throws {
    let bench = bench()
    await bench.store.fail(.locked)
    #expect(await bench.coordinator.login(LoginOperation(account: "work")).code == .keyringLocked)
    #expect(bench.asked.isEmpty)
  }

  @Test func aPortThatIsTakenIsNamed() async throws {
    let bench = Bench(
      signingInAt: { _ in },
      redirects: FakeRedirects(failing: RedirectError("port 7777 is taken", hint: "another port")))
    let result = await bench.coordinator.login(LoginOperation(account: "work"))
    #expect(result.code == .loginFailed)
    #expect(result.error?.message == "work: port 7777 is taken")
  }

  @Test func aLostAnswerToTheCodeEndsTheSignIn() async throws {
    let bench = bench()
    bench.signIns.change { $0.exchanges = [.unknown("the connection broke")] }
    let login = await bench.logIn()
    _ = await bench.bring(answer())
    #expect(await login.outcome().code == .temporarilyUnavailable)
    #expect(bench.asked.count { $0.hasPrefix("exchange") } == 1)
  }

  // MARK: Pasting

  @Test func anAddressIsPasted() async throws {
    let bench = bench()
    let login = await bench.logIn(LoginOperation(account: "work", method: .paste))
    #expect(login.events.count == 1)
    #expect(bench.redirects.open.isEmpty)
    #expect(await bench.paste("state-9 code").code == .stateMismatch)
    #expect(await bench.paste("nonsense").code == .badRequest)
    #expect(try await bench.status().state == .signingIn)
    #expect(try await bench.paste("state-1 code").get().account == "work")
    #expect(try await login.outcome().get().account == "work")
    #expect(await bench.paste("state-1 code").code == .noLoginPending)
  }

  @Test func anAddressMayBePastedForABrowserThatDidNotComeBack() async throws {
    let bench = bench()
    let login = await bench.logIn()
    #expect(try await bench.paste("state-1 code").get().account == "work")
    #expect(try await login.outcome().get().account == "work")
    #expect(bench.redirects.open.isEmpty)
  }

  @Test func whereNobodySignsInNothingIsPasted() async throws {
    #expect(await bench().paste("state-1 code").code == .noLoginPending)
  }

  // MARK: Discovery

  @Test func theEndpointsThatWereFoundStayWithTheSession() async throws {
    let bench = bench {
      $0.discovery = .oidc
      $0.endpoints = Endpoints()
    }
    var metadata = IssuerMetadata(
      issuer: "https://sso.example", discovery: .oidc,
      endpoints: Endpoints(authorization: "https://sso.example/a", token: "https://sso.example/t"))
    bench.signIns.change { [metadata] in $0.metadata = .success(metadata) }
    _ = await bench.logIn()
    #expect(await bench.bring(answer()) == .signedIn)
    #expect(await bench.store.contents.records.first?.endpoints == metadata.endpoints)
    metadata.endpoints.token = "https://elsewhere.example/t"
    bench.signIns.change { [metadata] in $0.metadata = .success(metadata) }
    let refreshed = await bench.ask(TokenOperation(account: "work", rejected: Secret("at-1")))
    await bench.provider.waitForRequests(1)
    #expect(await bench.provider.endpointsAsked == ["https://sso.example/t"])
    await bench.provider.answerNext(grant("at-2"))
    #expect(try await refreshed.value.get().token == Secret("at-2"))
  }

  @Test func anIssuerThatCannotBeReachedIsSaidSo() async throws {
    let bench = bench {
      $0.discovery = .oidc
      $0.endpoints = Endpoints()
    }
    #expect(await bench.coordinator.login(LoginOperation(account: "work")).code == .temporarilyUnavailable)
    #expect(bench.asked == ["discover"])
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

/// Tokens of `kind: id`.
@Suite(OneQueue(), .timeLimit(.minutes(1))) struct IDTokenRequestTests {
  private let request = TokenOperation(account: "work", kind: .id)

  private func grant(_ access: String, _ idToken: String?) -> TokenOutcome {
    var grant = Grant(accessToken: Secret(access), lifetime: .seconds(3600), refreshToken: Secret("rt-" + access))
    grant.idToken = idToken.map { Secret($0) }
    return .success(grant)
  }

  /// Signed in by alice, with an id_token of ten minutes.
  private func bench(_ next: [Result<Identity?, RequestFailure>] = []) async throws -> Bench {
    let bench = Bench(signingInAt: { _ in })
    bench.signIns.change {
      $0.exchanges = [grant("at-1", "id-1")]
      $0.identities = [.success(Identity(subject: "alice", idTokenExpiresAt: 1_000_600))] + next
    }
    let login = await bench.logIn()
    #expect(await bench.bring(answer()) == .signedIn)
    _ = try await login.outcome().get()
    return bench
  }

  @Test func theOneOfTheSignInIsServed() async throws {
    let bench = try await bench()
    let reply = try await bench.ask(request).value.get()
    #expect(reply.token == Secret("id-1"))
    #expect(reply.kind == .id)
    #expect(reply.expiresAt == 1_000_600)
    #expect(reply.expiresIn == 600)
    #expect(reply.minimumValidityMet)
    #expect(try await bench.ask().value.get().kind == .access)
  }

  @Test func anOldOneIsRenewedByARefresh() async throws {
    let bench = try await bench([.success(Identity(subject: "alice", idTokenExpiresAt: 1_002_000))])
    bench.clock.advance(.seconds(590))
    let waiting = await bench.ask(request)
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", "id-2"))
    let reply = try await waiting.value.get()
    #expect(reply.token == Secret("id-2"))
    #expect(reply.expiresAt == 1_002_000)
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
  }

  @Test func aRefreshIsComparedWithTheAuthenticationOfTheSignIn() async throws {
    let bench = Bench(signingInAt: { _ in })
    bench.signIns.change {
      $0.exchanges = [grant("at-1", "id-1")]
      $0.identities = [.success(Identity(subject: "alice", idTokenExpiresAt: 1_000_600, authTime: 1_000_000))]
    }
    _ = await bench.logIn()
    #expect(await bench.bring(answer()) == .signedIn)
    #expect(await bench.store.contents.records.map(\.authTime) == [1_000_000])
    let waiting = await bench.ask(TokenOperation(account: "work", rejected: Secret("at-1")))
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", "id-2"))
    #expect(try await waiting.value.get().token == Secret("at-2"))
    #expect(bench.asked.last == "identify again alice of 1000000")
    #expect(await bench.store.contents.records.map(\.authTime) == [1_000_000])
  }

  @Test func oneThatDoesNotComeIsAskedForOnce() async throws {
    let bench = try await bench()
    bench.clock.advance(.seconds(601))
    let waiting = await bench.ask(request)
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", nil))
    #expect(await waiting.value.error?.reason == "no_id_token")
    #expect(await bench.ask(request).value.error?.reason == "no_id_token")
    #expect(await bench.provider.requests.count == 1)
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
  }

  @Test(arguments: [
    Result<Identity?, RequestFailure>.failure(.rejected(Rejection(.answer, "it is of another subject")))
  ])
  func aRefreshWithTheIdentityOfSomebodyElseBringsNoToken(
    identity: Result<Identity?, RequestFailure>
  ) async throws {
    let bench = try await bench([identity])
    let waiting = await bench.ask(TokenOperation(account: "work", rejected: Secret("at-1")))
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", "id-2"))
    #expect(await waiting.value.error?.reason == "policy")
    #expect(await bench.ask().value.error?.reason == "policy")
    #expect(await bench.store.contents.records.map(\.refreshToken) == [Secret("rt-at-2")])
    #expect(try await bench.status().subject == "alice")
  }

  @Test func keysThatCannotBeHadCostNoAccessToken() async throws {
    let bench = try await bench([.failure(.unavailable("no network"))])
    let waiting = await bench.ask(TokenOperation(account: "work", rejected: Secret("at-1")))
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", "id-2"))
    #expect(try await waiting.value.get().token == Secret("at-2"))
  }

  @Test func keysThatCannotBeHadAreAskedForAgainAfterAMinute() async throws {
    let bench = try await bench([
      .failure(.unavailable("no network")), .success(Identity(subject: "alice", idTokenExpiresAt: 1_003_000)),
    ])
    bench.clock.advance(.seconds(601))
    let waiting = await bench.ask(request)
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", "id-2"))
    #expect(await waiting.value.error?.code == .temporarilyUnavailable)
    bench.clock.advance(.seconds(20))
    let early = await bench.ask(request).value.error
    #expect(early?.message == "work: no network" && early?.retryAfter == 40)
    #expect(await bench.provider.requests.count == 1)
    bench.clock.advance(.seconds(41))
    let next = await bench.ask(request)
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at-3", "id-3"))
    #expect(try await next.value.get().token == Secret("id-3"))
  }

  @Test func anOldIDTokenIsServedWhileTheKeysCannotBeHad() async throws {
    let bench = try await bench([.failure(.unavailable("no network"))])
    bench.clock.advance(.seconds(590))
    let waiting = await bench.ask(request)
    await bench.provider.waitForRequests(1)
    await bench.provider.answerNext(grant("at-2", "id-2"))
    for reply in [try await waiting.value.get(), try await bench.ask(request).value.get()] {
      #expect(reply.token == Secret("id-1") && !reply.minimumValidityMet)
    }
    #expect(await bench.provider.requests.count == 1)
  }

  @Test(arguments: [
    TokenOperation(account: "work", scope: "mail", kind: .id),
    TokenOperation(account: "work", rejected: Secret("x"), kind: .id),
  ])
  func itIsForNothingInParticular(request: TokenOperation) async throws {
    #expect(await (try bench()).ask(request).value.code == .badRequest)
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

/// Who has signed in, and what becomes of the session before.
@Suite(OneQueue(), .timeLimit(.minutes(1))) struct SignInIdentityTests {
  private func bench(_ change: (inout Provider.OAuth) -> Void = { _ in }) -> Bench {
    Bench(signingInAt: change)
  }

  @Test func somebodyElseIsAMistakeUnlessItIsMeant() async throws {
    let bench = bench()
    bench.signIns.change {
      $0.identities = ["alice", "bob", "bob"].map { .success(Identity(subject: $0)) }
      $0.exchanges = [grant("at-1", "rt-1"), grant("at-2", "rt-2"), grant("at-3", "rt-3")]
    }
    let first = await bench.logIn()
    _ = await bench.bring(answer())
    #expect(try await first.outcome().get().subject == "alice")
    let second = await bench.logIn()
    _ = await bench.bring(answer(state: "state-2"))
    #expect(await second.outcome().code == .subjectMismatch)
    #expect(try await bench.ask().value.get().token == Secret("at-1"))
    await QueueExecutor.shared.settle()
    #expect(await bench.provider.requests == [.revoke(refreshToken: Secret("rt-2"), accessToken: Secret("at-2"))])
    let third = await bench.logIn(LoginOperation(account: "work", force: true))
    _ = await bench.bring(answer(state: "state-3"))
    #expect(try await third.outcome().get().subject == "bob")
  }

  @Test func aTokenThatProvesNothingIsRevoked() async throws {
    let bench = bench()
    bench.signIns.change { $0.identities = [.failure(.rejected(Rejection(.answer, "its iss is another issuer")))] }
    let login = await bench.logIn()
    #expect(await bench.bring(answer()) == .failed("work: its iss is another issuer"))
    #expect(await login.outcome().code == .providerError)
    await QueueExecutor.shared.settle()
    #expect(await bench.provider.requests == [.revoke(refreshToken: Secret("rt-1"), accessToken: Secret("at-1"))])
    #expect(await bench.store.contents.records.isEmpty)
  }

  @Test func whatAppleTellsOnceIsKeptBeforeTheCodeIsSpent() async throws {
    let bench = bench { $0.clientAuthentication = .apple(teamID: "TEAM", keyID: "KEY") }
    bench.signIns.change { $0.exchanges = [.notSent("no network"), grant("at-1", "rt-1")] }
    let alice = Person(name: "Alice Liddell", email: "a@b.test")
    let user = #"{"name":{"firstName":"Alice","lastName":"Liddell"},"email":"a@b.test"}"#
    let first = await bench.logIn()
    _ = await bench.bring(answer(user: user))
    #expect(await first.outcome().code == .temporarilyUnavailable)
    #expect(await bench.store.persons == ["work": alice])
    let second = await bench.logIn()
    #expect(await bench.bring(answer(state: "state-2")) == .signedIn)
    _ = try await second.outcome().get()
    #expect(try await bench.status().person == alice)
  }

  // MARK: What a sign-in replaces

  @Test(arguments: [true, false])
  func aReplacedSessionIsRevokedWhereTheProfileSaysSo(revokes: Bool) async throws {
    var habits = ProviderHabits()
    habits.revokesReplaced = revokes
    let bench = Bench(signingInAt: { _ in }, habits: habits)
    bench.signIns.change { $0.exchanges = [grant("at-1", "rt-1"), grant("at-2", "rt-2")] }
    for state in ["state-1", "state-2"] {
      _ = await bench.logIn()
      #expect(await bench.bring(answer(state: state)) == .signedIn)
    }
    await QueueExecutor.shared.settle()
    let revoked: [FakeProvider.Request] = [.revoke(refreshToken: Secret("rt-1"), accessToken: Secret("at-1"))]
    #expect(await bench.provider.requests == (revokes ? revoked : []))
    #expect(await bench.store.contents.revocations.isEmpty)
  }

  @Test func theSameRefreshTokenAgainIsNotRevoked() async throws {
    let bench = bench()
    for state in ["state-1", "state-2"] {
      _ = await bench.logIn()
      #expect(await bench.bring(answer(state: state)) == .signedIn)
    }
    await QueueExecutor.shared.settle()
    #expect(await bench.provider.requests.isEmpty)
  }

  @Test func fiveHundredCallersStartNoSignIn() async throws {
    let bench = bench()
    for _ in 0..<500 { #expect(await bench.ask().value.code == .loginRequired) }
    #expect(bench.asked.isEmpty)
  }
}

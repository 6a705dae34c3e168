import KeyrackCore
import KeyrackProtocol
import Testing

/// Access tokens for a scope or a resource, all from one refresh token (REFRESH R25, RFC 8707).
@Suite(.timeLimit(.minutes(1)), OneQueue()) struct TokenTargetTests {
  func request(_ scope: String? = nil, _ resource: String? = nil) -> TokenOperation {
    TokenOperation(account: "work", scope: scope, resource: resource.map { .init([$0]) })
  }

  func grant(_ access: String, _ refresh: String? = nil, scope: String? = nil) -> TokenOutcome {
    .success(
      Grant(
        accessToken: Secret(access), lifetime: .seconds(3600), refreshToken: refresh.map { Secret($0) }, scope: scope))
  }

  @Test("R25 a part of what the token has is served with it") func subset() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2", scope: "mail files")]))
    for scope in ["mail", "files mail", nil] {
      #expect(try await bench.ask(request(scope)).value.get().token == Secret("at"))
    }
    #expect(await bench.provider.requests.count == 1)
  }

  @Test("R25 a token is never served for a scope that it lacks") func narrower() async throws {
    let bench = Bench.scripted(Script([grant("at", "rt-2", scope: "mail"), grant("at-2", "rt-3", scope: "mail")]))
    #expect(try await bench.ask().value.get().scope == "mail")
    let error = await bench.ask(request("files")).value.error
    #expect(error?.code == .loginRequired)
    #expect(error?.reason == "scope")
    #expect(await bench.ask(request("calendar")).value.error?.reason == "scope")
  }

  @Test("R25 for another target the same refresh token is spent, after the refresh under way") func another()
    async throws
  {
    let bench = Bench(contents: StoreContents(records: [Bench.record()]))
    let first = await bench.ask()
    await bench.provider.waitForRequests(1)
    let mail = await bench.ask(request(nil, "https://mail.example"))
    let files = await bench.ask(request("files", "https://files.example"))
    await QueueExecutor.shared.settle()
    #expect(await bench.provider.requests.count == 1)
    await bench.provider.answerNext(grant("at", "rt-2"))
    _ = try await first.value.get()
    await bench.provider.waitForRequests(2)
    await bench.provider.answerNext(grant("at-2", "rt-3"))
    await bench.provider.waitForRequests(3)
    await bench.provider.answerNext(grant("at-3", "rt-4"))
    #expect(try await Set([mail.value.get(), files.value.get()].map { text($0.token) }) == ["at-2", "at-3"])
    #expect(await bench.refreshTokensSent == ["rt-1", "rt-2", "rt-3"])
    #expect(await bench.store.contents.records.first?.scope == nil)
    #expect(try await bench.ask().value.get().token == Secret("at"))
  }

  @Test("R29 a refused target is remembered until the refresh token is another one") func refused() async throws {
    let script = Script([grant("at", seconds: 1), .rejected(.target)])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    let mail = request(nil, "https://mail.example")
    for _ in 0..<3 { #expect(await bench.ask(mail).value.code == .providerError) }
    #expect(await bench.provider.requests.count == 2)
    // Others go on.
    #expect(try await bench.status().state == .active)
    await bench.clock.run(.seconds(3600))
    script.becomes(grant("at-2"), grant("at-3", "rt-2"), grant("at-mail", "rt-3"))
    let asked = bench.coordinator
    _ = try await bench.ask().value.get()
    #expect(await bench.ask(mail).value.code == .providerError)
    await bench.clock.run(.seconds(3600))
    _ = try await asked.token(TokenOperation(account: "work")).get()
    #expect(try await bench.ask(mail).value.get().token == Secret("at-mail"))
  }

  @Test(
    "R25 what is refused to one target is refused to no other",
    arguments: [
      (.rejected(.request), requests: 1), (.rejected(.conflict), requests: 2), (.rejected(.target), requests: 1),
    ] as [(TokenOutcome, requests: Int)])
  func refusedAlone(_ answer: TokenOutcome, _ requests: Int) async throws {
    let script = Script([grant("at", seconds: 30), answer])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    let mail = await bench.ask(request(nil, "https://mail.example"))
    await bench.clock.run(requests > 1 ? .seconds(1) : .zero)
    #expect(await mail.value.code == .providerError)
    #expect(await bench.provider.requests.count == 1 + requests)
    #expect(try await bench.status().state == .active)
    #expect(try await bench.status().lastError == nil)
    script.becomes(grant("at-2"))
    await bench.clock.run(.seconds(60))
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
  }

  @Test(
    "R25 a target whose refusal may be the refresh token's is asked without",
    arguments: [
      ([.rejected(.grant(.policy))], 0), ([.rejected(.grant(.revoked))], 0),
      ([.rejected(.unexplained), .rejected(.unexplained)], 1),
    ] as [([TokenOutcome], Int)])
  func verified(_ answers: [TokenOutcome], _ seconds: Int) async throws {
    let script = Script([grant("at", seconds: 30)] + answers + [grant("at-2", "rt-2")])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    let resource = request(nil, "https://mail.example")
    let mail = await bench.ask(resource)
    await bench.clock.run(.seconds(seconds))
    #expect(await mail.value.code == .providerError)
    // The session is as it was, with a newer token; the target is left alone for ten minutes.
    #expect(try await bench.status().state == .active)
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
    #expect(await bench.ask(resource).value.code == .providerError)
    #expect(await bench.provider.requests.count == 2 + answers.count)
    script.becomes(grant("at-mail"))
    await bench.clock.run(.seconds(601))
    #expect(try await bench.ask(resource).value.get().token == Secret("at-mail"))
  }

  @Test("R25 a target that a provider answers with nonsense is left alone for a minute") func nonsense() async throws {
    let script = Script([grant("at", seconds: 30), .rejected(.answer), grant("at-2", "rt-2")])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    let resource = request(nil, "https://mail.example")
    #expect(await bench.ask(resource).value.code == .providerError)
    #expect(try await bench.status().state == .active)
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
    #expect(await bench.provider.targets.last == .standard)
    #expect(await bench.ask(resource).value.code == .providerError)
    #expect(await bench.provider.requests.count == 3)
    script.becomes(grant("at-mail"))
    await bench.clock.run(.seconds(61))
    #expect(try await bench.ask(resource).value.get().token == Secret("at-mail"))
  }

  @Test("R25 a provider that is broken for a target and for all is the session's trouble") func broken() async throws {
    let script = Script([grant("at", seconds: 30), .rejected(.answer), .rejected(.answer)])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    #expect(await bench.ask(request(nil, "https://mail.example")).value.code == .providerError)
    #expect(await bench.provider.requests.count == 3)
    #expect(try await bench.status().state == .degraded)
  }

  @Test("R25 a refusal of a target that brings a refresh token keeps that and spoils nothing") func rotated()
    async throws
  {
    let rejection = Rejection(.answer, "a token of type dpop", refreshToken: Secret("rt-2"))
    let script = Script([grant("at", seconds: 30), .rejected(rejection)])
    let bench = Bench.scripted(script)
    _ = try await bench.ask().value.get()
    let resource = request(nil, "https://mail.example")
    #expect(await bench.ask(resource).value.code == .providerError)
    #expect(try await bench.status().state == .active)
    #expect(await bench.ask(resource).value.code == .providerError)
    #expect(await bench.provider.requests.count == 2)
    script.becomes(grant("at-2"))
    await bench.clock.run(.seconds(60))
    #expect(try await bench.ask().value.get().token == Secret("at-2"))
    #expect(await bench.provider.requests.last == .refresh(Secret("rt-2"), account: "work"))
  }

  @Test("R25 a dead refresh token is found out by a target, too") func dead() async throws {
    let bench = Bench.scripted(Script([grant("at", seconds: 30), .rejected(.grant(.revoked))]))
    _ = try await bench.ask().value.get()
    let error = await bench.ask(request(nil, "https://mail.example")).value.error
    #expect(error?.code == .loginRequired)
    #expect(error?.reason == "revoked")
    #expect(await bench.provider.requests.count == 3)
    #expect(try await bench.status().state == .loginRequired)
  }

  func grant(_ access: String, _ refresh: String? = nil, seconds: Int) -> TokenOutcome {
    .success(
      Grant(accessToken: Secret(access), lifetime: .seconds(seconds), refreshToken: refresh.map { Secret($0) }))
  }
}

import KeyrackCore
import KeyrackProtocol
import Testing

@Suite(OneQueue(), .timeLimit(.minutes(1))) struct ClientSecretKeepingTests {
  /// An account that names a preset has a provider of its own, which the error about its missing secret calls so.
  @Test(arguments: [
    ("google:work", nil), ("later", nil), ("google:other", ErrorCode.badRequest), ("a b", .badRequest),
  ])
  func whatHasOrCouldHaveAGroupCanHaveASecret(name: String, expected: ErrorCode?) async {
    let bench = Bench()
    bench.source.write(["work"], of: Provider(name: "google:work", kind: Bench.corp.kind))
    _ = await bench.coordinator.reload()
    let outcome = await bench.coordinator.keepSecret(SecretOperation(provider: name, secret: Secret("s3")))
    switch outcome {
    case .success(let reply): #expect((reply.provider, expected) == (name, nil))
    case .failure(let error): #expect(error.code == expected)
    }
  }

  @Test func whoeverHasASecretKeptIsOnRecord() async throws {
    let bench = Bench()
    let metadata = IssuerMetadata(issuer: "https://sso.example", discovery: .oidc, endpoints: Endpoints())
    bench.provider.signIns.change { $0.metadata = .success(metadata) }
    let caller = Caller("/usr/bin/keyrack")
    let request = RegisterOperation(issuer: "https://sso.example", provider: "new")
    _ = try await bench.coordinator.register(request, by: caller).get()
    _ = try await bench.coordinator.keepSecret(SecretOperation(provider: "new", secret: nil), by: caller).get()
    #expect(
      bench.log.events(.clientSecretChanged).map(\.message) == [
        "client secret of new kept by /usr/bin/keyrack", "client secret of new removed by /usr/bin/keyrack",
      ])
  }
}

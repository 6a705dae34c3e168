import KeyrackProtocol
import TestSupport
import Testing

/// What of an account is given with `keyrack account add` is not asked for.
@Suite(.timeLimit(.minutes(1))) struct AccountAddOptionsTests {
  @Test func theRedirectThatIsGivenIsTheOneThatIsRegistered() async throws {
    let home = try ConfigurationHome()
    let uri = "http://127.0.0.1:8400/callback/work"
    let outcome = try await home.run(
      [
        "account", "add", "work", "--issuer", "https://a.test", "--redirect-uri", uri, "--scopes", "mail", "--no-login",
      ],
      [Lines.noAccounts, Lines.providers, Lines.discovery(registers: true), Lines.register, Lines.reload])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      outcome.requests.dropFirst(3).first
        == #"{"op":"register","issuer":"https://a.test","name":"work","redirect_uri":"\#(uri)"}"#)
  }

  /// gitlab has a server that is meant where none is named, gitea has none.
  @Test(arguments: [("gitlab", "https://git.example.org"), ("gitea", nil)])
  func aServerOfOnesOwnIsNamed(preset: String, issuer: String?) async throws {
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let run = try await daemon.keyrack(
      "account", "add", "work", "--provider", preset, "--host", "git.example.org", "--client-id", "c", "--scopes",
      "openid", "--no-login")
    #expect(run.status == 0, "\(run.error)")
    let made = try #require(try await daemon.call(ProvidersOperation()).providers.first { $0.name == "work" })
    #expect(made.settings.contains(Setting(key: "host", value: "git.example.org")))
    #expect(made.issuer == issuer)
  }

  @Test func withoutOneOnlyThatIsAskedForWhichHasNoOther() async throws {
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let options = ["--client-id", "c", "--scopes", "openid", "--no-login"]
    let environment = daemon.environment.map { "\($0)=\($1)" }
    func add(_ name: String, _ preset: String) async throws -> CommandRun {
      try await BlockingThread.run {
        try CommandProcess(
          ["account", "add", name, "--provider", preset] + options, environment: environment
        ).result()
      }
    }
    #expect(try await add("lab", "gitlab").status == 0)
    let asked = try await add("tea", "gitea")
    #expect(asked.status == 2)
    #expect(asked.errors.contains("there is no terminal to ask on"), "\(asked.errors)")
  }

  @Test(arguments: [
    (["--provider", "github"], "provider github: there is but one server of it, --host names no other"),
    (["--issuer", "https://a.test"], "--host: does not go with --issuer"),
  ])
  func aHostThatNobodyAskedForIsRefused(whom: [String], complaint: String) async throws {
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let run = try await Child.run(
      [Products.path(of: "keyrack"), "account", "add", "work"] + whom + ["--host", "h.test", "--client-id", "c"],
      environment: daemon.environment, within: .seconds(20))
    #expect(run.status == 2)
    #expect(run.error.hasPrefix("keyrack: \(complaint)\n"), "\(run.error)")
  }
}

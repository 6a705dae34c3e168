import TestSupport
import Testing

/// `keyrack provider`, against a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1)))
struct ProviderCommandTests {
  private static let key = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"
  private let home = try? ConfigurationHome()

  @Test func theListIsATable() async throws {
    let outcome = try await #require(home).run(["provider", "list"], [Lines.providers])
    #expect(
      outcome.run.text == """
        NAME       ORIGIN         KIND   METHODS
        google     preset         oauth  browser, device
        microsoft  preset         oauth  browser
        corp       configuration  oauth  password

        """)
    let json = try await #require(home).run(["provider", "list", "--json"], [Lines.providers])
    #expect(json.run.text == Lines.providers + "\n")
  }

  @Test func oneIsShownAsAFileHasIt() async throws {
    let outcome = try await #require(home).run(["provider", "show", "google"], [Lines.providers])
    #expect(
      outcome.run.text == """
        # Comes with Keyrack. To use it: keyrack account add NAME --provider google
        # Signing in: browser, device
        [provider google]
        token_endpoint=https://oauth2.test/token
        token_endpoint_auth_method=client_secret_post
        scopes=openid;mail
        # Missing: client_id, the id of an app that you register there as a desktop or native one: \
        https://console.cloud.google.com/auth/clients
        #client_id=

        """)
    let unknown = try await #require(home).run(["provider", "show", "x"], [Lines.providers])
    #expect(unknown.run.status == 1)
    #expect(unknown.run.errors == "keyrack: x: no such provider\nkeyrack: hint: keyrack provider list\n")
  }

  @Test(arguments: [
    ("s3\n", "s3"), ("s3", "s3"), ("s3\r\n", "s3"), (Self.key, Self.key.replacing("\n", with: "\\n")),
  ])
  func aSecretComesFromStandardInput(input: String, sent: String) async throws {
    let outcome = try await #require(home).run(
      ["provider", "secret", "google", "--secret-stdin"], input: input, [Lines.providers, Lines.secret])
    #expect(outcome.run.status == 0)
    #expect(outcome.requests.last == #"{"op":"secret","provider":"google","secret":"\#(sent)"}"#)
  }

  @Test func aSecretIsAskedForAndNotShown() async throws {
    let outcome = try await #require(home).converse(
      ["provider", "secret", "google"], [Lines.providers, Lines.secret]
    ) { terminal, _ in
      _ = terminal.read(until: "secret of google: ")
      #expect(!terminal.isEchoing)
      terminal.type("hunter2\n")
      #expect(terminal.read(until: "\n") == "\r\n")
    }
    #expect(outcome.requests.last?.contains("hunter2") == true)
    #expect(outcome.run.errors == "keeping the secret of work\n")
  }

  @Test(arguments: [("\u{3}", 130 as Int32), ("\u{4}", 1), ("\n", 1)])
  func anAbandonedSecretIsNotSent(key: String, status: Int32) async throws {
    let outcome = try await #require(home).converse(["provider", "secret", "google"], [Lines.providers]) {
      terminal, _ in
      _ = terminal.read(until: "secret of google: ")
      terminal.type(key)
    }
    #expect(outcome.run.status == status)
    #expect(outcome.operations == ["providers"])
  }

  @Test func aSecretIsRemoved() async throws {
    let outcome = try await #require(home).run(
      ["provider", "secret", "google", "--remove"], [Lines.providers, Lines.secret])
    #expect(outcome.requests.last == #"{"op":"secret","provider":"google","secret":null}"#)
    #expect(outcome.run.errors == "removed the secret of work\n")
  }

  @Test(arguments: [
    ("", "no secret came"), ("\n", "no secret came"), (String(repeating: "x", count: 49_153), "48 KiB"),
  ])
  func aSecretHasToBeOne(input: String, complaint: String) async throws {
    let outcome = try await #require(home).run(
      ["provider", "secret", "google", "--secret-stdin"], input: input, [Lines.providers])
    #expect(outcome.run.status == 1)
    #expect(outcome.run.errors.contains(complaint))
    #expect(outcome.operations == ["providers"])
  }

  @Test func aSecretOfNobodyIsNotKept() async throws {
    let outcome = try await #require(home).run(
      ["provider", "secret", "gogle", "--secret-stdin"], input: "s3", [Lines.providers])
    #expect(outcome.run.status == 1 && outcome.operations == ["providers"])
  }
}

import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// What signs in to mail servers, byte for byte.
@Suite(.timeLimit(.minutes(1))) struct SASLTests {
  private static let reply =
    #"{"ok":true,"account":"work","access_token":"vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==","token_type":"Bearer","#
    + #""min_valid_met":true}"#

  private func run(_ options: [String]) async throws -> CommandRun {
    let daemon = try ScriptedDaemon([.reply(Self.reply)])
    defer { daemon.stop() }
    return try await CommandRun.run(["sasl", "work"] + options, socket: daemon.path)
  }

  /// The examples of RFC 7628, section 4.1, of Google's page on XOAUTH2 (with the token of the former), and names that have
  /// to be escaped.
  @Test(arguments: [
    (
      [
        "--user", "user@example.com", "--mechanism", "oauthbearer", "--host", "server.example.com", "--port", "143",
      ], "n,a=user@example.com,^host=server.example.com^port=143^auth=Bearer $^^"
    ),
    (["--user", "someuser@example.com"], "user=someuser@example.com^auth=Bearer $^^"),
    (["--user", "a=b,c", "--mechanism=oauthbearer"], "n,a=a=3Db=2Cc,^auth=Bearer $^^"),
    (["--user", "a=b,c", "--mechanism", "xoauth2"], "user=a=b,c^auth=Bearer $^^"),
    (["--user", "a=b,c", "--mechanism", "XOAUTH2"], "user=a=b,c^auth=Bearer $^^"),
    (["--user", "zoë", "--mechanism", "oauthbearer", "--port", "993"], "n,a=zoë,^port=993^auth=Bearer $^^"),
  ])
  func theResponseIsThatOfTheMechanism(options: [String], text: String) async throws {
    let run = try await run(options)
    let expected = text.replacing("^", with: "\u{1}")
      .replacing("$", with: "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==")
    #expect(run.text == Data(expected.utf8).base64EncodedString() + "\n")
    #expect(run.status == 0 && run.errors.isEmpty)
  }

  /// As the RFC prints it.
  @Test func theResponseOfTheRFCIsTheSame() async throws {
    let run = try await run([
      "--user", "user@example.com", "--mechanism", "oauthbearer", "--host", "server.example.com", "--port", "143",
    ])
    #expect(
      run.text
        == "bixhPXVzZXJAZXhhbXBsZS5jb20sAWhvc3Q9c2VydmVyLmV4YW1wbGUuY29tAXBvcnQ9MTQzAWF1dGg9QmVhcmVyIHZGOWRmdDRxbVRjMk52YjN"
        + "SbGNrQmhiSFJoZG1semRHRXVZMjl0Q2c9PQEB\n")
  }

  @Test(arguments: [
    ([], "--user: needed"), (["--user", ""], "--user: expected a name"),
    (["--user", "a\u{1}auth=Bearer x"], "--user: expected a name"), (["--user", "a\nb"], "--user: expected a name"),
    (["--user", "a\u{7F}"], "--user: expected a name"),
    (["--user", "a", "--mechanism", "plain"], "--mechanism: expected xoauth2 or oauthbearer"),
    (["--user", "a", "--mechanism", ""], "--mechanism: expected xoauth2 or oauthbearer"),
    (["--user", "a", "--host", "h"], "--host: only with --mechanism oauthbearer"),
    (["--user", "a", "--port", "993"], "--port: only with --mechanism oauthbearer"),
    (["--user", "a", "--mechanism", "oauthbearer", "--host", "h\u{1}"], "--host: expected a name"),
    (["--user", "a", "--mechanism", "oauthbearer", "--port", "0"], "--port: expected a whole number 1 to 65535"),
  ])
  func whatWouldBreakTheMessageIsRefused(options: [String], complaint: String) async throws {
    let run = try await CommandRun.run(["sasl", "work"] + options, socket: "/nowhere/keyrack.sock")
    #expect(run.status == 2)
    #expect(run.text.isEmpty && run.errors.hasPrefix("keyrack: \(complaint)"), "\(run.errors)")
  }

  @Test func theTokenIsThatOfTheAccount() async throws {
    let fixture = try await KeyrackFixture()
    let refused = try await fixture.daemon.keyrack("sasl", "work", "--user", "jo")
    #expect(refused.status == 3 && refused.output.isEmpty)
    #expect(refused.error == "keyrack: work: not signed in\nkeyrack: hint: keyrack login work\n")
    try await fixture.signIn()
    let result = try await fixture.daemon.keyrack("sasl", "work", "--user", "jo")
    let text = try #require(Data(base64Encoded: String(result.output.dropLast())))
    #expect(String(decoding: text, as: UTF8.self) == "user=jo\u{1}auth=Bearer \(try await fixture.token())\u{1}\u{1}")
  }
}

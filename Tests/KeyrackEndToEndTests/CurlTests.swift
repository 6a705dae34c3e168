import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// curl with a token, against a provider on this machine.
@Suite(.timeLimit(.minutes(1))) struct CurlTests {
  private func signedIn() async throws -> (fixture: KeyrackFixture, token: String) {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    return (fixture, try await fixture.token())
  }

  private func authorization(_ provider: SampleProvider, _ path: String) async throws -> [String?] {
    try await provider.log().filter { $0.path == path }.map { $0.headers["authorization"] }
  }

  @Test func theTokenArrivesAndStandardInputIsThePersons() async throws {
    let (fixture, token) = try await signedIn()
    let result = try await fixture.daemon.keyrack(
      "curl", "work", "-sS", "-X", "GET", "--data-binary", "@-", fixture.provider.url("/api"), input: "a note\n")
    #expect(result.status == 0, "\(result.error)")
    let request = try #require(try await fixture.provider.log().last)
    #expect(request.headers["authorization"] == "Bearer \(token)")
    #expect(request.body == "a note\n" && request.status == 200)
  }

  @Test func theStatusIsCurls() async throws {
    let (fixture, _) = try await signedIn()
    let url = fixture.provider.url("/nothing")
    #expect(try await fixture.daemon.keyrack("curl", "work", "--", "-sS", "--fail", url).status == 22)
    #expect(try await fixture.daemon.keyrack("curl", "work", "--no-such-option").status == 2)
  }

  @Test func aRedirectToAnotherHostGetsNoToken() async throws {
    let (fixture, token) = try await signedIn()
    let other = try SampleProvider()
    for location in [other.url("/api"), fixture.provider.url("/userinfo")] {
      try await fixture.provider.script("/api", status: 302, headers: ["Location": location], body: "")
      _ = try await fixture.daemon.keyrack("curl", "work", "-sS", "-L", fixture.provider.url("/api"))
    }
    #expect(try await authorization(fixture.provider, "/api") == ["Bearer \(token)", "Bearer \(token)"])
    #expect(try await authorization(other, "/api") == [nil])
    #expect(try await authorization(fixture.provider, "/userinfo") == ["Bearer \(token)"])
  }

  @Test(arguments: [
    ["http://192.0.2.1/"], ["http://127.0.0.1.example.org/"], ["http://127.0.0.1@192.0.2.1/"],
    ["http://127.0.0.1:1@192.0.2.1/"], ["http://[::1].example.org/"], ["http://{127.0.0.1,192.0.2.1}/"],
    ["http://127.0.0.1:1/", "HTTP://192.0.2.1/"],
  ])
  func nothingGoesToAnotherMachineInTheClear(urls: [String]) async throws {
    let (text, _) = try await Self.configuration(token: "T", urls)
    #expect(text.contains("proto = \"=https\"\n"))
    let (fixture, _) = try await signedIn()
    let result = try await Child.run(
      [Products.path(of: "keyrack"), "curl", "work", "-sS", "--max-time", "5"] + urls,
      environment: fixture.daemon.environment)
    // Refused as a protocol, or as a pattern that is none.
    #expect([1, 3].contains(result.status), "\(result.error)")
  }

  @Test(arguments: [
    ("a.b-c_d~+/=", "a.b-c_d~+/="), (#"q"\z"#, #"q\"\\z"#), ("#' {}", nil), (#"a\#nheader = "X: y""#, nil),
  ])
  func theTokenIsQuotedAsCurlReadsIt(token: String, quoted: String?) async throws {
    let (text, status) = try await Self.configuration(token: token, ["-q", "--disable", "http://localhost:1/x", "-s"])
    guard let quoted else { return #expect(text.isEmpty && status == 1) }
    #expect(
      text == """
        -q
        --disable
        --config
        /dev/fd/3
        http://localhost:1/x
        -s
        proto-default = "https"
        no-netrc
        proto = "=https,http"
        noproxy = "localhost,127.0.0.1,::1"
        oauth2-bearer = "\(quoted)"

        """)
  }

  @Test func aTokenThatNoPipeTakesIsToldOf() async throws {
    let (text, status) = try await Self.configuration(token: String(repeating: "x", count: 70_000), ["https://a.test"])
    #expect(text.isEmpty && status == 1)
  }

  /// What a program that is called curl was given as arguments and as its configuration.
  private static func configuration(token: String, _ arguments: [String]) async throws -> (String, Int32) {
    let folder = try TemporaryFolder()
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\"\nwhile [ \"$1\" != --config ]; do shift; done\nexec cat \"$2\"\n"
    try script.write(toFile: "\(folder.path)/curl", atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/curl")
    let reply = TokenOperation.Reply(
      account: "work", token: Secret(token), tokenType: "Bearer", expiresAt: nil, expiresIn: nil, scope: nil,
      minimumValidityMet: true)
    let daemon = try ScriptedDaemon([.reply(Self.line(reply))])
    defer { daemon.stop() }
    let result = try await Child.run(
      [Products.path(of: "keyrack"), "curl", "work"] + arguments,
      environment: ["KEYRACK_SOCKET": daemon.path, "PATH": "\(folder.path):/usr/bin:/bin"])
    return (result.output, result.status)
  }

  private static func line(_ reply: TokenOperation.Reply) -> String {
    let text = JSONObjectWriter.text(of: reply)
    return #"{"ok":true,"# + String(decoding: text.dropFirst(), as: UTF8.self)
  }

  @Test func theTokenIsInNoArgumentAndNoEnvironment() async throws {
    let (fixture, token) = try await signedIn()
    let trace = "\(fixture.session.path)/trace"
    func traced(_ command: String...) async throws -> String {
      let run = try await Child.run(
        ["strace", "-f", "-v", "-s", "100000", "-e", "trace=execve", "-o", trace, Products.path(of: "keyrack")]
          + command,
        environment: fixture.daemon.environment, within: .seconds(30))
      if run.error.contains("not permitted") { try Test.cancel("nobody can trace anything here") }
      #expect(run.status == 0, "\(run.error)")
      return try String(contentsOfFile: trace, encoding: .utf8)
    }
    let text = try await traced("curl", "work", "-sS", fixture.provider.url("/api"))
    #expect(text.contains(#"execve("/usr/bin/curl", ["curl", "--config", "/dev/fd/3", "-sS", "http:"#), "\(text)")
    #expect(!text.contains(token))
    // That it would be seen.
    let seen = try await traced("exec", "work", "true")
    #expect(seen.contains("ACCESS_TOKEN=\(token)"))
  }
}

import KeyrackProtocol
import Testing

/// A token as a header line, from a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1)))
struct TokenHeaderTests {
  private func run(_ arguments: [String], token: String = "a.b-c_d~+/=", type: String) async throws -> CommandRun {
    let daemon = try ScriptedDaemon([
      .reply(#"{"ok":true,"account":"work","access_token":"\#(token)","token_type":"\#(type)","min_valid_met":true}"#)
    ])
    defer { daemon.stop() }
    return try await CommandRun.run(arguments, socket: daemon.path)
  }

  @Test(arguments: [("Bearer", "Bearer"), ("bearer", "Bearer"), ("BEARER", "Bearer"), ("MAC", "MAC")])
  func theLineNamesTheTypeOfTheToken(type: String, named: String) async throws {
    let run = try await run(["token", "work", "--header"], type: type)
    #expect(run.text == "Authorization: \(named) a.b-c_d~+/=\n")
    #expect(run.status == 0 && run.errors.isEmpty)
  }

  @Test(arguments: [(#"a\nX-Other: b"#, "Bearer"), ("a b", "Bearer"), ("ä", "Bearer"), ("a", ""), ("a", #"B\r\nC:"#)])
  func whatWouldBreakTheLineIsNotPrinted(token: String, type: String) async throws {
    let run = try await run(["token", "work", "--header"], token: token, type: type)
    #expect(run.status == 1)
    #expect(run.text.isEmpty && run.errors.hasPrefix("keyrack: work: its token "))
  }

  @Test func theIdTokenIsAskedForByItsKind() async throws {
    let daemon = try ScriptedDaemon([
      .reply(#"{"ok":true,"account":"work","id_token":"e.y.J","token_type":"Bearer","min_valid_met":true}"#)
    ])
    defer { daemon.stop() }
    let run = try await CommandRun.run(["token", "work", "--id-token", "--header"], socket: daemon.path)
    #expect(daemon.requests == [#"{"op":"token","account":"work","kind":"id"}"#])
    #expect(run.text == "Authorization: Bearer e.y.J\n")
  }
}

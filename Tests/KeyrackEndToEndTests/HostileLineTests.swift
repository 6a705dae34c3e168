import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// Lines that no careful program sends, to the real daemon: each is answered, and the next one on the same connection too.
@Suite(.timeLimit(.minutes(2))) struct HostileLineTests {
  private func daemon() async throws -> KeyrackDaemon {
    try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
  }

  private static let version = #"{"op":"version"}"#

  private struct Answer: Decodable {
    let ok: Bool
    let error: Failure?
    struct Failure: Decodable { let code, message: String }
  }

  private static func read(_ line: String?) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: Data(try #require(line).utf8))
  }

  // MARK: Where a line ends

  @Test func howeverALineEndsItIsAnsweredAndThenTheConnectionCloses() async throws {
    let daemon = try await daemon()
    for (input, count) in [
      ("\(Self.version)\n", 1), (Self.version, 1), ("\(Self.version)\r\n", 1), ("  \t\(Self.version)\n", 1),
      ("\n\r\n \n\t\r\n\(Self.version)\n\n", 1), ("\(Self.version)\n\(Self.version)", 2), ("", 0), ("\n", 0),
    ] {
      let wire = try Wire(daemon.socket)
      try await wire.send(input)
      wire.finish()
      let answers = try await wire.rest()
      #expect(answers.isEmpty || answers.hasSuffix("\n"))
      let lines = answers.split(separator: "\n").map(String.init)
      #expect(lines.count == count, "\(input)")
      for line in lines { #expect(try Self.read(line).ok, "\(input)") }
    }
  }

  @Test func whatAShellPipesIntoSocatIsAnswered() async throws {
    let daemon = try await daemon()
    let pipe = "printf '{\"op\":\"version\"}' | socat -t35 - UNIX-CONNECT:\(daemon.socket)"
    let run = try await Child.run(["/bin/sh", "-c", pipe], environment: daemon.environment)
    #expect(run.status == 0)
    #expect(try Self.read(run.output).ok)
  }

  // MARK: What is in it

  private static let bad: [(name: String, line: [UInt8])] = [
    ("a byte order mark", [0xEF, 0xBB, 0xBF] + version.utf8),
    ("UTF-16", version.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    ("UTF-16 with a mark", [0xFF, 0xFE] + version.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    ("NUL", Array("{\"op\":\"token\",\"account\":\"work\u{0}\"}".utf8)),
    ("NUL before", [0] + version.utf8),
    ("no UTF-8", account([0xFF])),
    ("overlong", account([0xC0, 0xAF])),
    ("a surrogate in UTF-8", account([0xED, 0xA0, 0x80])),
    ("above U+10FFFF", account([0xF4, 0x90, 0x80, 0x80])),
    ("half a surrogate pair", account(Array(#"\ud800"#.utf8))),
    ("the other half", account(Array(#"\udc00x"#.utf8))),
    ("an escaped NUL", account(Array(#"work\u0000"#.utf8))),
    ("an operation twice", Array(#"{"op":"version","op":"logout"}"#.utf8)),
    ("twice, once escaped", Array(#"{"op":"version","\u006fp":"logout"}"#.utf8)),
    ("an account twice", Array(#"{"op":"token","account":"a","account":"b"}"#.utf8)),
    ("1e999", validity("1e999")), ("-0", validity("-0")), ("2^63", validity("9223372036854775808")),
    ("1.5", validity("1.5")), ("01", validity("01")), ("NaN", validity("NaN")), ("0x1", validity("0x1")),
    ("an id of 2^63", Array(#"{"op":"version","id":9223372036854775808}"#.utf8)),
    ("an id of 1e999", Array(#"{"op":"version","id":1e999}"#.utf8)),
    ("an unknown member", Array(#"{"op":"version","verbose":true}"#.utf8)),
    ("a helper to load", Array(#"{"op":"token","account":"work","helper":"/tmp/x.so"}"#.utf8)),
    ("an array", Array("[]".utf8)), ("no JSON", Array("GET / HTTP/1.1".utf8)), ("brackets", Array("}}]]".utf8)),
    ("deep arrays", [UInt8](repeating: UInt8(ascii: "["), count: 60_000)),
    ("deep members", Array(String(repeating: #"{"a":"#, count: 12_000).utf8)),
    ("deep in a member", Array((#"{"op":"token","resource":"# + String(repeating: "[", count: 60_000)).utf8)),
  ]

  private static func account(_ bytes: [UInt8]) -> [UInt8] {
    Array(#"{"op":"token","account":""#.utf8) + bytes + Array(#""}"#.utf8)
  }

  private static func validity(_ number: String) -> [UInt8] {
    Array(#"{"op":"token","account":"work","min_valid":\#(number)}"#.utf8)
  }

  @Test func aBadLineIsABadRequestAndTheConnectionGoesOn() async throws {
    let daemon = try await daemon()
    let wire = try Wire(daemon.socket)
    for (name, line) in Self.bad {
      try await wire.send(line + [UInt8(ascii: "\n")])
      let answer = try Self.read(try await wire.line())
      #expect(answer.error?.code == "bad_request", "\(name)")
      try await wire.send("\(Self.version)\n")
      #expect(try Self.read(try await wire.line()).ok, "after \(name)")
    }
    try await wire.send(#"{"op":"frobnicate"}"# + "\n")
    #expect(try Self.read(try await wire.line()).error?.code == "unknown_op")
  }

  @Test func whatCouldDriveATerminalComesBackEscaped() async throws {
    let daemon = try await daemon()
    let wire = try Wire(daemon.socket)
    for line in [
      #"{"op":"token","account":"\u001b]0;owned\u0007\u007f"}"#, #"{"op":"\u001b[2J\u007f"}"#,
      #"{"op":"token","\u001b[2J\u007f":1}"#, #"{"op":"token","\u001b[2J":1,"\u001b[2J":1}"#,
      #"{"op":"version","id":"\u001b[2J\u007f"}"#,
    ] {
      try await wire.send("\(line)\n")
      let answer = try #require(try await wire.line())
      #expect([#"\u001b"#, #"\u{1B}"#].contains { answer.contains($0) }, "\(answer)")
      #expect(answer.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(answer)")
    }
  }

  // MARK: What it costs

  /// Each within a line's 64 KiB, and once seconds of the daemon's time.
  private static let costly: [(name: String, line: String)] = [
    ("thousands of members", "{" + (0..<6000).map { #""\#($0)":1"# }.joined(separator: ",") + "}"),
    ("thousands of inner members", #"{"a":{"# + (0..<6000).map { #""\#($0)":1"# }.joined(separator: ",") + "}}"),
    ("thousands of scopes", account((0..<11_000).map { "\($0)" }.joined(separator: " "), "scope")),
    ("escapes", account(String(repeating: #"\u00e9"#, count: 10_800), "rejected")),
    ("one long character", account("e" + String(repeating: "\u{301}", count: 32_000), "issuer")),
    ("a long id that is refused", #"{"id":"\#(String(repeating: #"\n"#, count: 32_000))","a":1,"a":1}"#),
  ]

  private static func account(_ text: String, _ member: String) -> String {
    #"{"op":"token","account":"work","\#(member)":"\#(text)"}"#
  }

  @Test func noLineKeepsOthersWaiting() async throws {
    let daemon = try await daemon()
    let wire = try Wire(daemon.socket)
    for (name, line) in Self.costly {
      #expect(line.utf8.count <= LineBuffer.maximumLength, "\(name)")
      var times: [Duration] = []
      // The machine may be busy with something else.
      while times.count < 5, times.min() ?? .seconds(1) > .milliseconds(100) {
        times.append(
          try await timed {
            try await wire.send("\(line)\n")
            #expect(try Self.read(try await wire.line()).ok == false, "\(name)")
          }.0)
      }
      #expect(times.min() ?? .zero < .milliseconds(200), "\(name)")
    }
  }
}

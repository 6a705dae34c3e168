import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// The wall between users; the kernel's, and the daemon's own behind it.
@Suite(.timeLimit(.minutes(2))) struct OtherUserTests {
  private func daemon() async throws -> KeyrackDaemon {
    try await OrdinaryUser.require()
    return try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
  }

  private func ask(_ daemon: KeyrackDaemon) async throws -> Child.Result {
    try await OrdinaryUser.run(
      "/bin/sh", "-c", "printf '{\"op\":\"version\"}' | socat -t10 - UNIX-CONNECT:\(daemon.socket)")
  }

  @Test func anotherUserCannotConnect() async throws {
    let daemon = try await daemon()
    // Even where the folders above are open to all.
    for part in ["", "/run"] { chmod(daemon.session.path + part, 0o755) }
    let run = try await ask(daemon)
    #expect(run.status != 0)
    #expect(run.error.contains("Permission denied"))
    var status = stat()
    #expect(stat(daemon.socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(stat("\(daemon.session.path)/run/keyrack", &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func whereTheModesLetAnotherUserInItIsClosedWithoutAWord() async throws {
    let daemon = try await daemon()
    for part in ["", "/run", "/run/keyrack"] { chmod(daemon.session.path + part, 0o755) }
    chmod(daemon.socket, 0o666)
    let before = try ProcessFootprint(await daemon.pid).descriptors ?? 0
    for _ in 0..<10 {
      let run = try await ask(daemon)
      #expect(run.output.isEmpty)
      #expect(!run.error.contains("Permission denied"))
    }
    #expect(try await daemon.call(VersionOperation()).protocol == 1)
    try await eventually("the connections to go") {
      // And what the daemon opens when it is first needed; ten that stay would be twenty.
      try ProcessFootprint(await daemon.pid).descriptors ?? 0 <= before + 10
    }
    // Nothing to learn, and no line for each of them.
    #expect(!daemon.said.contains("65534"))
  }

  @Test func rootIsRefusedWhereTheDaemonIsNotRoots() async throws {
    let daemon = try await OrdinaryDaemon()
    let wire = try Wire(daemon.socket)
    wire.push(Array((#"{"op":"version"}"# + "\n").utf8))
    let answer = try await wire.rest()
    #expect(
      answer.hasPrefix(#"{"ok":false,"error":{"code":"forbidden","message":"this keyrackd belongs to another user""#))
    #expect(answer.hasSuffix(#","reason":"other_user","retryable":false}}"# + "\n"), "\(answer)")
    let own = try await daemon.ask()
    #expect(own.output.contains(#""ok":true"#), "\(own.error)")
  }
}

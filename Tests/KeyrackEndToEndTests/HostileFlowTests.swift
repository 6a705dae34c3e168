import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Clients that send too much, read too little or go at the wrong moment: the real daemon stays small, and whoever
/// behaves does not notice.
@Suite(.timeLimit(.minutes(2))) struct HostileFlowTests {
  private static let version = Array((#"{"op":"version"}"# + "\n").utf8)

  private func daemon() async throws -> KeyrackDaemon {
    try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
  }

  private func expectService(_ daemon: KeyrackDaemon) async throws {
    #expect(try await daemon.call(VersionOperation()).protocol == 1)
  }

  private func residentKiB(_ daemon: KeyrackDaemon) async throws -> Int {
    try ProcessFootprint(await daemon.pid).residentKiB
  }

  // MARK: Too much

  @Test func aLineWithoutAnEndIsCutOffAndTakesNoMemory() async throws {
    let daemon = try await daemon()
    let before = try await residentKiB(daemon)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
    var sent = 0
    // Each is cut off within a few hundred kilobytes, so it takes many of them to send that much.
    while sent < 24 << 20 {
      let wire = try Wire(daemon.socket)
      var taken = 0
      while taken >= 0 {
        taken = wire.push(piece)
        sent += max(0, taken)
        if taken == 0 { break }
      }
      let answer = try await wire.rest()
      #expect(answer.contains(#""code":"line_too_long""#))
      #expect(answer.split(separator: "\n").count == 1)
    }
    #expect(try await residentKiB(daemon) < before + 4096)
    try await expectService(daemon)
  }

  @Test func tenThousandRequestsWhoseAnswersNobodyReadsTakeLittleMemory() async throws {
    let daemon = try await daemon()
    let before = try await residentKiB(daemon)
    let mute = try Wire(daemon.socket)
    let requests = Array(repeating: Self.version, count: 10_000).flatMap { $0 }
    // Until nothing more is taken, while another is served.
    var sent = 0
    var idle = 0
    while idle < 50 {
      let taken = mute.push(Array(requests[sent...]))
      try #require(taken >= 0)
      sent += taken
      idle = taken == 0 ? idle + 1 : 0
      try await expectService(daemon)
    }
    // Of 256 KiB of answers, and what is in the kernel's buffers both ways.
    #expect(try await residentKiB(daemon) < before + 4096)
    let rest = Array(requests[sent...])
    async let feeding: Void = mute.send(rest)
    let answers = try await mute.lines(10_000)
    try await feeding
    #expect(answers.count == 10_000)
    #expect(Set(answers).count == 1)
  }

  @Test func descriptorsThatAreSentAlongAreNotKept() async throws {
    let daemon = try await daemon()
    let before = try ProcessFootprint(await daemon.pid).descriptors
    let wire = try Wire(daemon.socket)
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    for _ in 0..<200 {
      // As many as one message may have.
      #expect(wire.push(Self.version, with: Array(repeating: null, count: 253)) == Self.version.count)
      #expect(try await wire.line()?.contains(#""ok":true"#) == true)
    }
    // One for the connection, one for who connected, and what the daemon opens when it is first needed.
    if let before { #expect(try ProcessFootprint(await daemon.pid).descriptors ?? 0 <= before + 12) }
  }

  // MARK: At the wrong moment

  @Test func clientsThatGoBeforeTheirAnswerLeaveNothing() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let before = try await fixture.footprints()
    let first = try await fixture.token()
    try await fixture.provider.script("/token", hold: true)
    let waiting = try Wire(fixture.daemon.socket)
    try await waiting.send(TokenOperation(account: "work", rejected: Secret(first)).line())
    try await fixture.provider.waitForRequests("/token", count: 2)
    let said = fixture.daemon.said
    for count in 0..<1000 {
      let wire = try Wire(fixture.daemon.socket)
      // With and without waiting for a refresh, read to the end and not.
      wire.push(count % 2 == 0 ? Self.version : TokenOperation(account: "work", rejected: Secret(first)).line())
      if count % 3 == 0 { wire.finish() }
    }
    try await fixture.provider.release("/token")
    #expect(try await waiting.line()?.contains(#""ok":true"#) == true)
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    // No line for each of them.
    #expect(fixture.daemon.said.count < said.count + 1000)
    // The one that waits has two, and libcurl keeps connections to the provider.
    for (now, old) in zip(try await fixture.footprints(), before) {
      #expect(now.descriptors ?? 0 <= (old.descriptors ?? 0) + 8)
    }
    withExtendedLifetime(waiting) {}
  }

  @Test func aStoppedClientHoldsUpNobody() async throws {
    let daemon = try await daemon()
    let folder = try TemporaryFolder()
    let requests = Array(repeating: String(decoding: Self.version, as: UTF8.self), count: 5000).joined()
    try requests.write(toFile: "\(folder.path)/in", atomically: false, encoding: .utf8)
    let out = "\(folder.path)/out"
    let socat = try Child(
      ["socat", "-t30", "-", "UNIX-CONNECT:\(daemon.socket)"], environment: daemon.environment,
      input: "\(folder.path)/in", output: out)
    func size() -> Int { (try? Data(contentsOf: URL(filePath: out)).count) ?? 0 }
    try await eventually("its first answer") { size() > 0 }
    socat.send(SIGSTOP)
    let stoppedAt = size()
    for _ in 0..<100 { try await expectService(daemon) }
    #expect(size() == stoppedAt)
    socat.send(SIGCONT)
    #expect(try await socat.wait(within: .seconds(30)) == 0)
    let answers = try String(contentsOfFile: out, encoding: .utf8)
    #expect(answers.split(separator: "\n").count == 5000)
  }

  @Test func aSlowSignInDelaysNoOtherAnswer() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.provider.script("/token", hold: true)
    async let login = fixture.signIn()
    try await fixture.provider.waitForRequests("/token")
    let wire = try Wire(fixture.daemon.socket)
    var times: [Duration] = []
    for _ in 0..<100 { times.append(try await timed { try await wire.call(StatusOperation()) }.0) }
    #expect(times.sorted()[89] < .milliseconds(50))
    try await fixture.provider.release("/token")
    #expect(try await login.remembered)
  }

  /// The deadline is a real one of ten seconds; the other clients come meanwhile.
  @Test func slowLinesEndAfterTenSecondsAndTenThousandClientsBetweenThemLeaveNothing() async throws {
    let daemon = try await daemon()
    let before = try ProcessFootprint(await daemon.pid)
    let start = ContinuousClock.now
    let slow = try (0..<50).map { _ in try Wire(daemon.socket) }
    for wire in slow { wire.push([UInt8(ascii: "{")]) }
    var generator = SeededGenerator(7)
    for count in 0..<10_000 {
      let wire = try Wire(daemon.socket)
      // At any byte of a request, the last and the first included; a few have several.
      wire.push(Array((Self.version + Self.version).prefix(Int.random(in: 0...20, using: &generator))))
      if count % 200 == 0 {
        for wire in slow { wire.push([UInt8(ascii: " ")]) }
        try await expectService(daemon)
      }
    }
    for wire in slow { #expect(try await wire.rest().isEmpty) }
    // A second is the tolerance; the rest is for a busy machine.
    #expect((.seconds(10)..<Duration.seconds(20)).contains(ContinuousClock.now - start))
    try await expectService(daemon)
    try await eventually("the connections to go") {
      // And what the daemon opens when it is first needed.
      try ProcessFootprint(await daemon.pid).descriptors ?? 0 <= (before.descriptors ?? 0) + 10
    }
    #expect(try await residentKiB(daemon) < before.residentKiB + 8192)
  }
}

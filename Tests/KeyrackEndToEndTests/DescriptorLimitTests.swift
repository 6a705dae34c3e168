import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// When there are no more descriptors, or more clients than may be: who is there already is served.
@Suite(.timeLimit(.minutes(2))) struct DescriptorLimitTests {
  private static let version = #"{"op":"version"}"# + "\n"

  private static func isServed(_ wire: Wire) async throws -> Bool {
    try await wire.send(version)
    return try await wire.line()?.contains(#""ok":true"#) == true
  }

  private static func isRefused(_ wire: Wire) async throws -> Bool {
    let said = try await wire.rest()
    return said.contains(#""code":"busy""#) && said.split(separator: "\n").count == 1
  }

  private static func setLimit(_ limit: Int32, of pid: Int32) async throws {
    let run = try await Child.run(
      ["prlimit", "--pid", "\(pid)", "--nofile=\(limit):"], environment: ["PATH": "/usr/bin:/bin"])
    try #require(run.status == 0, "\(run.error)")
  }

  // MARK: Too many clients

  @Test func withFewDescriptorsSomeAreKeptForTheDaemonsOwnWork() async throws {
    let fixture = try await KeyrackFixture(
      in: PrivateSession(), by: ["prlimit", "--nofile=128"],
      configuration: KeyrackFixture.browser("password_grant=true"))
    try await fixture.signIn()
    let first = try await fixture.token()
    var clients: [Wire] = []
    // Each has a descriptor of its own and one for its process, and 64 are the daemon's.
    for _ in 0..<32 {
      clients.append(try Wire(fixture.daemon.socket))
      #expect(try await Self.isServed(clients[clients.count - 1]))
    }
    for _ in 0..<100 { #expect(try await Self.isRefused(Wire(fixture.daemon.socket))) }
    let second = text(try await clients[0].call(TokenOperation(account: "work", rejected: Secret(first))).token)
    #expect(try await fixture.provider.accepts(accessToken: second))
    #expect(try await fixture.onlyItem().secret.contains(fixture.liveRefreshToken()))
    // A browser needs a listener, and connections to it.
    try await clients[1].send(LoginOperation(account: "work", method: .browser).line())
    let line = try #require(try await clients[1].line())
    guard case .authorize(let request) = LoginEvent(line: Array(line.utf8)) else { return #expect(Bool(false)) }
    try await Callback.opening(request.url).deliver()
    #expect(try await clients[1].line()?.contains(#""ok":true"#) == true)
    for client in clients { #expect(try await Self.isServed(client)) }
    clients.removeLast()
    try await eventually("room for another") { try await Self.isServed(Wire(fixture.daemon.socket)) }
  }

  @Test func oneProcessMayHaveAThousandConnectionsAndAnotherIsServed() async throws {
    let limit = Self.raiseOwnLimit()
    try #require(limit > 2000, "the tests may not open enough descriptors")
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let clients = try (0..<1024).map { _ in try Wire(daemon.socket) }
    for client in clients { client.push(Array(Self.version.utf8)) }
    for client in clients { #expect(try await client.line()?.contains(#""ok":true"#) == true) }
    for _ in 0..<10 { #expect(try await Self.isRefused(Wire(daemon.socket))) }
    let other = try await daemon.keyrack("status")
    #expect(other.status == 0, "\(other.error)")
    #expect(try await Self.isServed(clients[1023]))
  }

  /// As many connections as one process may have, until it is killed.
  private static let crowd = """
    import resource, socket, sys
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    clients = [socket.socket(socket.AF_UNIX) for _ in range(1024)]
    for s in clients: s.connect(sys.argv[1]); s.sendall(b'{"op":"version"}\\n')
    print(sum(b'"ok":true' in s.recv(4096) for s in clients), flush=True)
    while clients[0].recv(4096): pass
    """

  @Test func allProcessesTogetherMayHaveFourThousandConnections() async throws {
    // Two for each, and a quarter of all is the daemon's.
    try #require(Self.raiseOwnLimit() >= 4096 * 2 * 4 / 3, "a daemon may not open enough descriptors here")
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let folder = try TemporaryFolder()
    var crowds: [Child] = []
    for number in 0..<4 {
      let said = "\(folder.path)/\(number)"
      crowds.append(
        try Child(["python3", "-c", Self.crowd, daemon.socket], environment: daemon.environment, output: said))
      try await eventually("a crowd", within: .seconds(20)) {
        (try? String(contentsOfFile: said, encoding: .utf8)) == "1024\n"
      }
    }
    for _ in 0..<10 { #expect(try await Self.isRefused(Wire(daemon.socket))) }
    crowds[0].end()
    try await eventually("room for another") { try await Self.isServed(Wire(daemon.socket)) }
  }

  private static func raiseOwnLimit() -> UInt64 {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return UInt64(limit.rlim_cur)
  }

  // MARK: None left

  @Test(.enabled(if: geteuid() == 0, "only root sees the daemon's descriptors"))
  func withoutADescriptorForANewClientItWaitsAndNothingSpins() async throws {
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let early = try Wire(daemon.socket)
    #expect(try await Self.isServed(early))
    let pid = await daemon.pid
    try await Self.setLimit(ProcessDescriptors(pid).limit(leaving: 0), of: pid)
    let late = try Wire(daemon.socket)
    late.push(Array(Self.version.utf8))
    let (start, used) = (ContinuousClock.now, try ProcessTime(of: pid))
    // Half a second is what is measured; a loop that spins would take all of it.
    while ContinuousClock.now - start < .milliseconds(500) {
      #expect(try await Self.isServed(early))
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try ProcessTime(of: pid).used - used.used < .milliseconds(200))
    try await Self.setLimit(1024, of: pid)
    #expect(try await late.line()?.contains(#""ok":true"#) == true)
  }

  /// One for the client and none for a handle to its process; then none for what /proc tells of it.
  @Test(.enabled(if: geteuid() == 0, "only root sees the daemon's descriptors"), arguments: [1, 2, 3])
  func aClientThatCannotBeLookedAtIsRefused(_ free: Int) async throws {
    let daemon = try await KeyrackDaemon(in: PrivateSession(.withoutBus), configuration: "")
    let early = try Wire(daemon.socket)
    #expect(try await Self.isServed(early))
    let pid = await daemon.pid
    try await Self.setLimit(ProcessDescriptors(pid).limit(leaving: free), of: pid)
    for _ in 0..<20 {
      let late = try Wire(daemon.socket)
      late.push(Array(Self.version.utf8))
      #expect(try await Self.isRefused(late))
    }
    #expect(try await Self.isServed(early))
    try await Self.setLimit(1024, of: pid)
    #expect(try await Self.isServed(Wire(daemon.socket)))
  }
}

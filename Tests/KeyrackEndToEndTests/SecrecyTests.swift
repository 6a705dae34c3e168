import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Where passwords and tokens are not.
@Suite(.timeLimit(.minutes(3))) struct SecrecyTests {
  /// So long that a match is no chance, and so short that Swift would keep it out of the heap.
  private static let passwords = [
    "correct-HORSE-\(random(32))", random(11),
  ]

  static func random(_ count: Int) -> String {
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
    return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count)] })
  }

  // MARK: Passwords

  @Test(arguments: ProviderKind.allCases, [true, false])
  func aPasswordIsNowhereAfterASignIn(_ kind: ProviderKind, _ isRight: Bool) async throws {
    let fixture = try await kind.fixture()
    for password in Self.passwords {
      if isRight { try await fixture.provider.set(.init(users: ["alice": password])) }
      try await fixture.provider.script(kind.path, hold: true)
      async let run = fixture.daemon.keyrack(
        "login", "work", "--username", "alice", "--password-stdin", input: password)
      try await fixture.provider.waitForRequests(kind.path)
      try await expectNowherePublic(password, fixture)
      if geteuid() == 0 { try await expectInMemory(password, fixture) }
      try await fixture.provider.release(kind.path)
      let (status, said) = (try await run.status, try await run.error + run.output)
      #expect(status == (isRight ? 0 : 8), "\(said)")
      #expect(!said.contains(password))
      try await fixture.daemon.memoryForgets([password])
      try await expectNowherePublic(password, fixture)
      try fixture.session.expectInNoFile([password])
      #expect(try await fixture.session.items().allSatisfy { !$0.secret.contains(password) })
      _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
      try await fixture.provider.reset()
    }
  }

  /// Not on a command line, and not in an environment.
  private func expectNowherePublic(_ password: String, _ fixture: KeyrackFixture) async throws {
    let daemons = try await fixture.daemon.processes()
    let commands = try ProcessMemory.children(of: getpid())
    for pid in daemons + commands {
      for file in ["cmdline", "environ"] {
        let bytes = (try? Data(contentsOf: URL(filePath: "/proc/\(pid)/\(file)"))) ?? Data()
        #expect(bytes.range(of: Data(password.utf8)) == nil, "/proc/\(pid)/\(file)")
      }
    }
  }

  /// That the search would find something.
  private func expectInMemory(_ text: String, _ fixture: KeyrackFixture) async throws {
    #expect(try await fixture.daemon.memoryPlaces(of: [text]).isEmpty == false, "the search finds nothing at all")
  }

  // MARK: Tokens

  @Test(arguments: ProviderKind.allCases)
  func noTokenIsInMemoryAfterALogout(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let refresh = try await fixture.liveRefreshTokens()
    // One refresh, so that there is a spent refresh token as well.
    let renewed = try await fixture.daemon.call(TokenOperation(account: "work", rejected: Secret(first)))
    let all = refresh + (try await fixture.liveRefreshTokens()) + [first, text(renewed.token)]
    #expect(Set(all).count == 4)
    if geteuid() == 0 { try await expectInMemory(text(renewed.token), fixture) }
    _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    try await fixture.daemon.memoryForgets(all)
    try fixture.session.expectInNoFile(all)
  }

  /// Nowhere else than where it is neither swapped out nor in a core dump.
  @Test(.enabled(if: geteuid() == 0, "reads the memory of another process"), arguments: ProviderKind.allCases)
  func tokensAreKeptInLockedMemory(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    for token in try await fixture.liveRefreshTokens() + [first] {
      var places: [String] = []
      do {
        try await eventually("the token to be in locked memory alone") {
          places = try await fixture.daemon.memoryPlaces(of: [token])
          return !places.isEmpty && places.allSatisfy { $0.hasPrefix("keyrackd, locked at ") }
        }
      } catch { throw ProcessMemory.Failure(description: "\(error); it is at \(places.joined(separator: "\n"))") }
    }
  }

  @Test(arguments: ProviderKind.allCases)
  func noTokenThatCameTooLateIsInMemory(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    try await fixture.signIn()
    let first = try await fixture.token()
    let old = try await fixture.provider.tokens().map(\.token)
    let path = kind == .oauth ? "/token" : "/refresh"
    let number = try #require(try await fixture.provider.log().last).number
    try await fixture.provider.script(path, hold: true)
    async let waiting = fixture.daemon.failure(TokenOperation(account: "work", rejected: Secret(first)))
    try await fixture.provider.waitForRequests(path, after: number)
    let all = old + (try await fixture.provider.tokens().map(\.token))
    #expect(Set(all).count == 4)
    #expect(try await fixture.daemon.call(LogoutOperation(account: "work")).remote == .pending)
    #expect(try await waiting.code == .sessionEnded)
    try await fixture.provider.release(path)
    try await eventually("the end of the outbox") {
      try await fixture.daemon.call(StatusOperation()).outbox.isEmpty
    }
    #expect(try await fixture.provider.tokens().isEmpty)
    try await fixture.daemon.memoryForgets(all)
    try fixture.session.expectInNoFile(all)
    #expect(try await fixture.session.items().isEmpty)
  }

  // MARK: What is said

  @Test(arguments: ProviderKind.allCases)
  func nothingThatIsSaidHoldsASecret(_ kind: ProviderKind) async throws {
    let fixture = try await kind.fixture()
    let password = #"ca"nary+é&\#(Self.random(20))"#
    let login = LoginOperation(account: "work", username: "alice", password: Secret(password))
    let mistyped = LoginOperation(account: "work", username: "alice", password: Secret("\(password)!"))
    try await fixture.provider.set(.init(users: ["alice": password]))
    let refreshPath = kind == .oauth ? "/token" : "/refresh"
    var said: [String] = []
    var secrets = Self.spellings(of: password)
    // An echo of what was sent, at a sign-in and at a refresh.
    for echo in secrets {
      try await fixture.provider.script(kind.path, status: 400, body: Self.refusal(echo))
      said.append(try await line(login, fixture))
    }
    try await fixture.signIn(password: password)
    let first = try await fixture.token()
    secrets += try await fixture.provider.tokens().map(\.token)
    let refreshToken = try #require(try await fixture.liveRefreshTokens().first)
    try await fixture.provider.script(refreshPath, status: 400, body: Self.refusal(refreshToken))
    said.append(try await line(TokenOperation(account: "work", rejected: Secret(first)), fixture))
    said.append(try await line(StatusOperation(), fixture))
    said.append(try await line(LogoutOperation(account: "work", wait: true), fixture))
    said.append(try await line(mistyped, fixture))
    said.append(try await line(StatusOperation(), fixture))
    try await fixture.daemon.stop()
    said.append(fixture.daemon.said)
    #expect(fixture.daemon.said.contains("signed in"))
    for text in said { for secret in secrets { #expect(!text.contains(secret), "\(text)") } }
    try fixture.session.expectInNoFile(secrets)
  }

  /// As it is, and as a form or a JSON document has it.
  private static func spellings(of text: String) -> [String] {
    let json = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return [text, LoopbackHTTP.escape(text), json]
  }

  /// Neither a wrong password nor a dead token.
  private static func refusal(_ echo: String) -> String {
    let body = ["error": "invalid_scope", "error_description": "could not process \(echo) of this request"]
    return String(decoding: (try? JSONEncoder().encode(body)) ?? Data(), as: UTF8.self)
  }

  /// The answer as it came.
  private func line(_ operation: some KeyrackProtocol.Operation, _ fixture: KeyrackFixture) async throws -> String {
    let wire = try Wire(fixture.daemon.socket)
    try await wire.send(operation.line())
    return try #require(try await wire.line())
  }

  // MARK: Who may look

  @Test func noneOfTheProcessesLeavesACore() async throws {
    let fixture = try await KeyrackFixture()
    try await fixture.signIn()
    let processes = try await fixture.daemon.processes()
    #expect(processes.count == 2)
    for pid in processes {
      let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
      let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
      // The kernel takes the files of a process that cannot be dumped away from its user.
      if geteuid() != 0 { #expect(open("/proc/\(pid)/mem", O_RDONLY) < 0) }
    }
  }
}

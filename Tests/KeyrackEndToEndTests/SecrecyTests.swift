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

  private static func random(_ count: Int) -> String {
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
      try await fixture.memoryForgets([password])
      try await expectNowherePublic(password, fixture)
      try expectInNoFile([password], fixture)
      #expect(try await fixture.session.items().allSatisfy { !$0.secret.contains(password) })
      _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
      try await fixture.provider.reset()
    }
  }

  /// Not on a command line, and not in an environment.
  private func expectNowherePublic(_ password: String, _ fixture: KeyrackFixture) async throws {
    let daemons = try await fixture.processes()
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
    #expect(try await fixture.memoryPlaces(of: [text]).isEmpty == false, "the search finds nothing at all")
  }

  /// Homes, sockets, logs and the files of the keyring.
  private func expectInNoFile(_ texts: [String], _ fixture: KeyrackFixture) throws {
    let files = FileManager.default.enumerator(atPath: fixture.session.path)?.compactMap { $0 as? String } ?? []
    #expect(files.contains { $0.hasSuffix("keyrack.conf") } && files.contains("keyrackd.log"))
    for file in files {
      var isFolder: ObjCBool = false
      let path = "\(fixture.session.path)/\(file)"
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
      let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
      for text in texts { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(file)") }
    }
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
    try await fixture.memoryForgets(all)
    try expectInNoFile(all, fixture)
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
    try await fixture.memoryForgets(all)
    try expectInNoFile(all, fixture)
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
    try expectInNoFile(secrets, fixture)
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
    let processes = try await fixture.processes()
    #expect(processes.count == 2)
    for pid in processes {
      let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
      let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
      // The kernel takes the files of a process that cannot be dumped away from its user.
      if geteuid() != 0 { #expect(open("/proc/\(pid)/mem", O_RDONLY) < 0) }
    }
  }

  /// As root only: an ordinary user that is not the one of the tests.
  private static let ordinary = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
  private static var canBeOrdinary: Bool {
    get async {
      let command = ordinary + [Products.path(of: "keyrackd"), "--version"]
      guard geteuid() == 0, let run = try? await Child.run(command, environment: [:]) else { return false }
      return run.status == 0
    }
  }

  @Test func theSameUserCannotReadTheMemory() async throws {
    guard await Self.canBeOrdinary else {
      try Test.cancel("the tests do not run as root, or others cannot run what was built")
    }
    let folder = try TemporaryFolder()
    for part in ["home", "home/.config", "home/.config/keyrack", "run"] { mkdir("\(folder.path)/\(part)", 0o700) }
    try "".write(toFile: "\(folder.path)/home/.config/keyrack/keyrack.conf", atomically: false, encoding: .utf8)
    let environment = ["HOME": "\(folder.path)/home", "XDG_RUNTIME_DIR": "\(folder.path)/run"]
    _ = try await Child.run(["chown", "-R", "65534:65534", folder.path], environment: ["PATH": "/usr/bin:/bin"])
    let log = "\(folder.path)/log"
    let daemon = try Child(Self.ordinary + [Products.path(of: "keyrackd")], environment: environment, error: log)
    try await eventually("keyrackd to answer") { (try? Wire("\(folder.path)/run/keyrack/keyrack.sock")) != nil }
    let look = try await Child.run(
      Self.ordinary + ["head", "-c", "0", "/proc/\(daemon.pid)/mem"], environment: ["PATH": "/usr/bin:/bin"])
    #expect(look.status != 0)
    #expect(look.error.contains("Permission denied"))
  }
}

import Foundation
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClientSecretsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func provider(_ command: String? = nil) -> Provider {
    var oauth = Provider.OAuth(clientID: "c", tokenEndpoint: "https://h/t")
    oauth.clientAuthentication = .basic
    oauth.secretCommand = command
    return Provider(name: "p", kind: .oauth(oauth))
  }

  private func run(_ command: String, limit: Duration = .seconds(10)) async -> Result<Secret, ClientSecretError> {
    let environment = ["PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/n", "GREETING": "hello"]
    return await ClientSecrets(source: FakeSource(), environment: environment, limit: limit).secret(
      of: provider(command))
  }

  // MARK: Commands

  @Test(arguments: [
    ("echo s3cret", "s3cret"), ("printf s3cret", "s3cret"), ("printf 's3cret\\r\\nmore\\n'", "s3cret"),
    ("echo 's p a c e '", "s p a c e "), ("echo $GREETING$NOTIFY_SOCKET", "hello"),
    ("cat; echo nothing came", "nothing came"), ("printf %s \"$(echo s | tr s t)\"", "t"),
    (
      "printf -- '-----BEGIN PRIVATE KEY-----\\nMIGH\\n-----END PRIVATE KEY-----\\n'",
      "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"
    ),
    ("head -c 65536 /dev/zero | tr '\\0' x", String(repeating: "x", count: 65_536)),
    ("echo s3cret; exec >&-; sleep 0.1", "s3cret"),
  ])
  func whatACommandPrintsIsTheSecret(command: String, secret: String) async {
    #expect(await run(command) == .success(Secret(secret)))
  }

  @Test(arguments: [
    ("exit 3", "has failed, with status 3"), ("echo s3cret; exit 1", "has failed, with status 1"),
    ("kill -9 $$", "has failed, with status 137"), ("no-such-program 2>&-", "has failed, with status 127"),
    ("true", "has printed nothing on its first line"), ("echo; echo s3cret", "has printed nothing on its first line"),
    ("printf '\\377'", "has printed what is no text"), ("printf 'a\\0b'", "has printed what is no text"),
    ("head -c 65537 /dev/zero", "has printed more than 64 KiB"), ("yes", "has printed more than 64 KiB"),
  ])
  func aCommandThatFailsIsNamed(command: String, message: String) async {
    let failure = await run(command).failure
    #expect(failure?.message == "the client_secret_command of p \(message)")
    #expect(failure?.kind == .failed)
  }

  @Test(arguments: [
    "sleep 60", "exec >&-; sleep 60", "sleep 60 & echo $! >%; wait", "trap '' TERM; sleep 60 & echo $! >%; wait",
  ])
  func aCommandThatHangsIsKilledWithAllThatItStarted(command: String) async throws {
    let file = directory.path + "/pid"
    let start = ContinuousClock.now
    let failure = await run(command.replacing("%", with: file), limit: .milliseconds(300)).failure
    #expect(failure?.message == "the client_secret_command of p has not ended within 0.3 seconds")
    #expect(ContinuousClock.now - start < .seconds(10))
    guard command.contains("%") else { return }
    let pid = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    // Killed, or waiting for somebody to see that: then it has no command line.
    while !Data(contentsOfProcess: pid).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test func noDescriptorOfOursIsThere() async throws {
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0)
    #expect(await run("echo $(ls /proc/self/fd)") == .success(Secret("0 1 2 3")))
    #expect(await run("readlink /proc/self/fd/0") == .success(Secret("/dev/null")))
  }

  @Test func aCommandHasAGroupOfItsOwn() async {
    #expect(await run("test $(ps -o pgid= -p $$) = $PPID && echo own") == .success(Secret("own")))
  }

  @Test func aCommandRunsEachTimeButNeverTwiceAtOnce() async throws {
    let file = directory.path + "/runs"
    let secrets = ClientSecrets(source: FakeSource(), environment: ["PATH": "/usr/bin:/bin"])
    let provider = provider(
      "mkdir \(file)-lock && echo x >>\(file) && sleep 0.2 && rmdir \(file)-lock && wc -l <\(file)")
    let first = await withTaskGroup(of: Result<Secret, ClientSecretError>.self) { group in
      for _ in 0..<20 { group.addTask { await secrets.secret(of: provider) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(first.allSatisfy { $0 == .success(Secret("1")) })
    #expect(await secrets.secret(of: provider) == .success(Secret("2")))
  }

  // MARK: The keyring

  @Test func theKeyringIsAskedOnceUntilItHasAnother() async throws {
    let source = FakeSource(.success(Secret("one")))
    let secrets = ClientSecrets(source: source)
    for _ in 0..<3 { #expect(await secrets.secret(of: provider()) == .success(Secret("one"))) }
    #expect(source.asked == ["p"])
    try await secrets.keep(Secret("two"), of: "p")
    #expect(await secrets.secret(of: provider()) == .success(Secret("two")))
    #expect(source.asked == ["p", "p"])
  }

  @Test func aCommandTakesThePlaceOfWhatIsKept() async {
    let secrets = ClientSecrets(source: FakeSource(.success(Secret("one"))))
    #expect(await secrets.secret(of: provider()) == .success(Secret("one")))
    #expect(await secrets.secret(of: provider("echo two")) == .success(Secret("two")))
    #expect(await secrets.secret(of: provider()) == .success(Secret("one")))
  }

  @Test(
    arguments: [
      (.success(nil), .missing, "the provider p needs a client secret: keyrack provider secret p"),
      (.failure(.locked), .locked, "the client secret of p is in the keyring, which is locked"),
      (
        .failure(.unavailable("there is no keyring")), .locked,
        "the client secret of p is in the keyring: there is no keyring"
      ),
      (.failure(.failed("it broke")), .failed, "the client secret of p could not be read: it broke"),
    ] as [(Result<Secret?, StoreError>, ClientSecretError.Kind, String)])
  func whatIsNotThereIsAskedForAgain(
    answer: Result<Secret?, StoreError>, kind: ClientSecretError.Kind, message: String
  ) async {
    let source = FakeSource(answer)
    let secrets = ClientSecrets(source: source)
    let failure = await secrets.secret(of: provider()).failure
    #expect(failure?.kind == kind)
    #expect(failure?.message == message)
    source.answer(.success(Secret("one")))
    #expect(await secrets.secret(of: provider()) == .success(Secret("one")))
  }
}

extension Result {
  var failure: Failure? {
    switch self {
    case .success: nil
    case .failure(let failure): failure
    }
  }
}

/// A keyring whose answer the test gives.
private final class FakeSource: ClientSecretLookup, ClientSecretStore {
  private let state: Mutex<(answer: Result<Secret?, StoreError>, asked: [String])>

  init(_ answer: Result<Secret?, StoreError> = .success(nil)) { state = Mutex((answer, [])) }

  var asked: [String] { state.withLock { $0.asked } }

  func answer(_ answer: Result<Secret?, StoreError>) { state.withLock { $0.answer = answer } }

  func keep(_ secret: Secret?, of provider: String) async throws(StoreError) { answer(.success(secret)) }

  func clientSecret(of provider: String) async throws(StoreError) -> Secret? {
    let answer = state.withLock {
      $0.asked.append(provider)
      return $0.answer
    }
    return try answer.get()
  }
}

extension Data {
  /// The command line of a process; empty where it has ended.
  fileprivate init(contentsOfProcess pid: String) {
    self = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
  }
}

import TestSupport
import Glibc

/// One run of the built `keyrack`.
struct CommandRun: Sendable {
  let output: [UInt8]
  let errors: String
  /// The exit status, or 1000 and the number of the signal that ended it.
  let status: Int32

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Runs it to its end with an environment of `KEYRACK_SOCKET` alone.
  static func run(_ arguments: [String], socket: String?, input: String = "") async throws -> CommandRun {
    let environment = socket.map { ["KEYRACK_SOCKET=\($0)"] } ?? []
    return try await BlockingThread.run {
      let process = try CommandProcess(arguments, environment: environment)
      process.feed(input)
      return process.result()
    }
  }
}

/// `keyrack` under way, its output and errors in pipes.
final class CommandProcess: Sendable {
  private let identifier: pid_t
  private let input: Int32?
  private let output: Int32
  private let errors: Int32

  /// It leads a session of its own: without `terminal`, the path of one, it has none, wherever the tests run. Where
  /// `complainsThere` it also writes its errors to it.
  init(
    _ arguments: [String], environment: [String], terminal: String? = nil, complainsThere: Bool = false
  ) throws {
    let standardInput = try Self.pipe()
    let (standardOutput, standardError) = (try Self.pipe(), try Self.pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
      for end in [standardInput.read, standardOutput.write, standardError.write] { close(end) }
    }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID))
    if let terminal {
      // The first terminal that the leader of a session opens becomes the session's.
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, standardInput.read, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, standardOutput.write, 1)
    posix_spawn_file_actions_adddup2(&actions, complainsThere ? 0 : standardError.write, 2)
    var words: [UnsafeMutablePointer<CChar>?] = (["keyrack"] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var identifier = pid_t()
    let code = posix_spawn(&identifier, try Self.program(), &actions, &attributes, &words, &variables)
    guard code == 0 else { throw SystemFailure(code: code) }
    self.identifier = identifier
    (input, output, errors) = (standardInput.write, standardOutput.read, standardError.read)
  }

  /// Writes its standard input and ends it. No more than a pipe takes.
  func feed(_ text: String) {
    guard let input else { return }
    let bytes = Array(text.utf8)
    signal(SIGPIPE, SIG_IGN)
    _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    close(input)
  }

  func send(signal number: Int32) { kill(identifier, number) }

  func waitUntilStopped() {
    var status: Int32 = 0
    while waitpid(identifier, &status, WUNTRACED) < 0 && errno == EINTR {}
  }

  /// What it printed until its end. The errors are few and fit their pipe.
  func result() -> CommandRun {
    let text = Self.readAll(output)
    let complaints = Self.readAll(errors)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return CommandRun(
      output: text, errors: String(decoding: complaints, as: UTF8.self),
      status: signal == 0 ? (status >> 8) & 0xff : 1000 + signal)
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemFailure(code: errno) }
    return (ends[0], ends[1])
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count <= 0 { break }
      bytes += chunk[..<count]
    }
    close(descriptor)
    return bytes
  }

  /// Beside the program that runs the tests.
  private static func program() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw SystemFailure(code: errno) }
    let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/keyrack"
  }
}

import Glibc
import Synchronization

/// The process behind a ``SampleProvider``. It ends when the last handle goes, and with the test process, whose end of
/// the pipe to its standard input then closes.
final class SampleProviderProcess: Sendable {
  /// What it printed when it was ready.
  let readyLine: String
  /// Nil once it was stopped.
  private let running: Mutex<(process: pid_t, input: Int32)?>

  init(_ options: [String]) throws {
    let input = try Self.makePipe()
    let output = try Self.makePipe()
    defer {
      close(input.reading)
      close(output.reading)
    }
    let arguments = [Products.path(of: "sample-provider"), "--until-stdin-closes"] + options
    let spawned = Self.spawn(arguments, input: input.reading, output: output.writing)
    close(output.writing)
    running = Mutex(spawned.process.map { ($0, input.writing) })
    readyLine = spawned.process == nil ? "" : Self.readLine(output.reading)
    if spawned.process == nil { close(input.writing) }
    guard !readyLine.isEmpty else {
      throw LoopbackHTTP.Failure("could not start \(arguments[0]): \(String(cString: strerror(spawned.failure)))")
    }
  }

  deinit { stop() }

  func stop() {
    let running = running.withLock { running in
      defer { running = nil }
      return running
    }
    guard let running else { return }
    close(running.input)
    kill(running.process, SIGTERM)
    while waitpid(running.process, nil, 0) < 0 && errno == EINTR {}
  }

  private static func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw LoopbackHTTP.Failure("could not make a pipe") }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ arguments: [String], input: Int32, output: Int32
  ) -> (process: pid_t?, failure: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer {
      posix_spawn_file_actions_destroy(&actions)
      words.forEach { free($0) }
    }
    var process: pid_t = 0
    let failure = posix_spawn(&process, arguments[0], &actions, nil, &words, environ)
    return (failure == 0 ? process : nil, failure)
  }

  private static func readLine(_ descriptor: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}

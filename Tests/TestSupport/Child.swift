import Foundation
import Glibc
import Synchronization

/// A program that a test started. It ends with the test, however that ends.
package final class Child: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package struct Result: Sendable {
    /// As a shell would say: 128 and the signal where it was killed.
    package let status: Int32
    package let output: String
    package let error: String
  }

  package let pid: Int32
  private let status = Mutex<Int32?>(nil)

  /// Starts a program, found in PATH unless its name has a slash. `output` and `error` are files to append to, and
  /// `descriptors` are open in the child under the numbers that are their keys.
  package init(
    _ command: [String], environment: [String: String], input: String = "/dev/null", output: String = "/dev/null",
    error: String = "/dev/null", descriptors: [Int32: Int32] = [:]
  ) throws {
    // A process that asks for the death of its parent gets that of the parent's thread: threads of a pool come and go.
    let spawned = Spawner.shared.run {
      Self.spawn(
        ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"] + command, environment, [input, output, error], descriptors)
    }
    guard let spawned, spawned.code == 0 else {
      throw Failure(description: "could not start \(command[0]): error \(spawned?.code ?? -1)")
    }
    pid = spawned.pid
  }

  deinit { end() }

  private static func spawn(
    _ command: [String], _ environment: [String: String], _ files: [String], _ descriptors: [Int32: Int32]
  ) -> (code: Int32, pid: pid_t) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, files[0], O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, files[1], O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, files[2], O_WRONLY | O_CREAT | O_APPEND, 0o600)
    for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
    posix_spawn_file_actions_addclosefrom_np(&actions, (descriptors.keys.max() ?? 2) + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // A shell ignores these in what it starts in the background, and so would all that is started from there.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGQUIT)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var pid: pid_t = 0
    return (posix_spawnp(&pid, command[0], &actions, &attributes, arguments, variables), pid)
  }

  /// Does nothing where it has ended.
  package func send(_ signal: Int32) {
    status.withLock { status in
      if status == nil { kill(pid, signal) }
    }
  }

  /// Kills it and waits for that.
  package func end() {
    status.withLock { status in
      guard status == nil else { return }
      kill(pid, SIGKILL)
      var raw: Int32 = 0
      waitpid(pid, &raw, 0)
      status = 128 + SIGKILL
    }
  }

  /// Nil while it runs.
  package var exitStatus: Int32? {
    status.withLock { status in
      var raw: Int32 = 0
      if status == nil, waitpid(pid, &raw, WNOHANG) == pid {
        status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
      }
      return status
    }
  }

  /// Its exit status.
  package func wait(within limit: Duration = .seconds(10)) async throws -> Int32 {
    try await eventually("the end of process \(pid)", within: limit) { self.exitStatus != nil }
    return exitStatus ?? -1
  }

  /// Runs a program to its end.
  package static func run(
    _ command: [String], environment: [String: String], input: String = "", within limit: Duration = .seconds(10)
  ) async throws -> Result {
    let folder = try TemporaryFolder()
    try Data(input.utf8).write(to: URL(filePath: folder.path + "/in"))
    let files = ["in", "out", "err"].map { "\(folder.path)/\($0)" }
    let child = try Child(command, environment: environment, input: files[0], output: files[1], error: files[2])
    let status = try await child.wait(within: limit)
    let texts = try files.dropFirst().map { String(decoding: try Data(contentsOf: URL(filePath: $0)), as: UTF8.self) }
    return Result(status: status, output: texts[0], error: texts[1])
  }
}

/// Waits until something is true that no event tells of; throws where it does not become so.
package func eventually(
  _ what: String, within limit: Duration = .seconds(5), _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else { throw Child.Failure(description: "waited \(limit) in vain for \(what)") }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// A folder that goes with its owner. Its path is short, as the names of sockets must be.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/keyrack-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Child.Failure(description: "could not make a folder in /tmp") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The one thread that starts programs, and never ends.
private final class Spawner: Sendable {
  static let shared = Spawner()
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let ready = DispatchSemaphore(value: 0)

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        ready.wait()
        jobs.withLock { $0.removeFirst() }()
      }
    }
  }

  func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value) -> Value? {
    let done = DispatchSemaphore(value: 0)
    let result = ResultCell<Value>()
    jobs.withLock {
      $0.append {
        result.value.withLock { $0 = job() }
        done.signal()
      }
    }
    ready.signal()
    done.wait()
    return result.value.withLock { $0 }
  }
}

private final class ResultCell<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

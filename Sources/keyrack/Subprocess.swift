import Glibc

/// A program whose output is read line by line. It reads nothing, and complains where this one does.
final class Subprocess {
  private let process: pid_t
  private let output: Int32
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  /// `name`: found in `PATH`. Throws where it is not there.
  init(_ name: String, _ arguments: [String]) throws(SystemCallFailure) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemCallFailure(code: errno) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
    var child = pid_t()
    let code = unsafe posix_spawnp(&child, name, &actions, nil, &words, environ)
    unsafe words.forEach { unsafe free($0) }
    unsafe posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    process = child
    output = ends[0]
    guard code == 0 else {
      close(ends[0])
      throw SystemCallFailure(code: code)
    }
  }

  /// The next line without its line feed; nil at the end.
  func line() -> [UInt8]? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return Array(buffer[..<end])
      }
      searched = buffer.count
      if isAtEnd {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer
      }
      fill()
    }
  }

  private func fill() {
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    let count = unsafe read(output, &chunk, chunk.count)
    if count > 0 { buffer += chunk[..<count] } else if count == 0 || errno != EINTR { isAtEnd = true }
  }

  /// Waits for its end. As a shell would say: 128 and the signal where it was killed.
  func status() -> Int32 {
    close(output)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return 1 }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}

struct SystemCallFailure: Error {
  /// An `errno`.
  let code: Int32
  var reason: String { unsafe String(cString: strerror(code)) }
}

import Glibc

/// A file that the person named, or standard input: read to its end, up to a limit.
struct InputFile: ~Copyable {
  private let descriptor: Int32
  private let name: String
  private let isOwn: Bool

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    isOwn = false
  }

  /// `-` is standard input.
  init(path: String) throws(CommandFailure) {
    isOwn = path != "-"
    name = isOwn ? path : "standard input"
    descriptor = unsafe isOwn ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO
    if descriptor < 0 { throw Self.failure(name, errno) }
  }

  deinit { if isOwn { _ = close(descriptor) } }

  func contents(limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    // It may hold a secret: the array never moves, so that no copy is left behind.
    bytes.reserveCapacity(limit + Self.step)
    var chunk = [UInt8](repeating: 0, count: Self.step)
    while true {
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Self.failure(name, errno)
      }
      bytes.append(contentsOf: chunk[..<count])
      if bytes.count > limit { throw CommandFailure(status: 1, "\(name) is larger than \(limit / 1024) KiB") }
    }
  }

  private static let step = 16 * 1024

  private static func failure(_ name: String, _ code: Int32) -> CommandFailure {
    CommandFailure(status: 1, "could not read \(name): \(unsafe String(cString: strerror(code)))")
  }
}

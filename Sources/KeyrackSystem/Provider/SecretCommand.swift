import Glibc
import KeyrackProtocol

/// A command of the configuration that prints the secret of a client, or its private key. Blocks.
struct SecretCommand {
  /// Bytes of what it prints.
  private static let maximumOutput = 64 * 1024

  let command: String
  let environment: [String: String]
  var limit = Duration.seconds(10)

  struct Failure: Error, Equatable {
    /// Stands after "the client_secret_command of NAME ".
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// The first line, or all of it where it is PEM.
  func run() throws(Failure) -> Secret {
    let deadline = SuspendingClock.now + limit
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw Failure("has no pipe: \(SystemError.text(of: errno))") }
    defer { close(ends[0]) }
    let pid = try start(output: ends[1])
    let output: [UInt8]
    let status: Int32
    do throws(Failure) {
      output = try read(ends[0], until: deadline)
      status = try end(of: pid, until: deadline)
    } catch {
      // Whatever it has started, too.
      kill(-pid, SIGKILL)
      _ = ChildProcess.reap(pid)
      throw error
    }
    guard status == 0 else { throw Failure("has failed, with status \(status)") }
    return try Self.secret(in: output)
  }

  /// Closes `output` here.
  private func start(output: Int32) throws(Failure) -> pid_t {
    defer { close(output) }
    do throws(ChildProcess.StartError) {
      return try ChildProcess.start("/bin/sh", ["-c", command], environment: environment, standardOutput: output)
    } catch {
      throw Failure("could not start: \(SystemError.text(of: error.code))")
    }
  }

  private func read(_ descriptor: Int32, until deadline: SuspendingClock.Instant) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&request, 1, try milliseconds(until: deadline)) > 0 else { continue }
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return output }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Failure("cannot be read: \(SystemError.text(of: errno))")
      }
      output += chunk[..<count]
      guard output.count <= Self.maximumOutput else {
        throw Failure("has printed more than \(Self.maximumOutput / 1024) KiB")
      }
    }
  }

  private func milliseconds(until deadline: SuspendingClock.Instant) throws(Failure) -> Int32 {
    let left = SuspendingClock.now.duration(to: deadline)
    guard left > .zero else { throw Failure("has not ended within \(limit)") }
    return Int32(clamping: Int64(left / .milliseconds(1)) + 1)
  }

  /// It may end long after it has closed its output.
  private func end(of pid: pid_t, until deadline: SuspendingClock.Instant) throws(Failure) -> Int32 {
    while true {
      if let status = ChildProcess.reapIfEnded(pid) { return status }
      _ = poll(nil, 0, min(10, try milliseconds(until: deadline)))
    }
  }

  private static func secret(in output: [UInt8]) throws(Failure) -> Secret {
    let isPEM = output.starts(with: "-----BEGIN ".utf8)
    var secret = isPEM ? output[...] : output.prefix { $0 != UInt8(ascii: "\n") }
    if !isPEM, secret.last == UInt8(ascii: "\r") { secret.removeLast() }
    guard !secret.isEmpty else { throw Failure("has printed nothing on its first line") }
    guard !secret.contains(0), (try? UTF8Span(validating: Array(secret).span)) != nil else {
      throw Failure("has printed what is no text")
    }
    return Secret(Array(secret))
  }
}

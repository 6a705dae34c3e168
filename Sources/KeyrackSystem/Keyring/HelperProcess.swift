import CSystemd
import FoundationEssentials
import Glibc
import KeyrackProtocol

/// `keyrack-keyring`, running. Every wait has its end; what holds this must be allowed to block.
final class HelperProcess {
  struct StartError: Error {
    /// "could not start /path: reason".
    let message: String
  }

  enum Received {
    case answer(KeyringAnswer)
    /// The time has passed.
    case late
    /// It closed its end, or sent what is no answer.
    case ended
  }

  let pid: pid_t
  private let socket: Int32
  private var lines = LineBuffer(maximumLength: KeyringAnswer.maximumLength)
  private var status: Int32?

  init(path: String, environment: [String: String]) throws(StartError) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw StartError(message: "could not make a socket pair: \(SystemError.text(of: errno))")
    }
    defer { close(ends[1]) }
    do throws(ChildProcess.StartError) {
      pid = try ChildProcess.start(path, environment: environment, standardInput: ends[1])
    } catch {
      close(ends[0])
      throw StartError(message: "could not start \(path): \(SystemError.text(of: error.code))")
    }
    socket = ends[0]
  }

  deinit { end() }

  /// Sends a call; false where it could not be sent in that time, or there is nobody to read it.
  func send(_ call: KeyringCall, until deadline: SuspendingClock.Instant) -> Bool {
    var line = JSONObjectWriter.text(of: call)
    line.append(UInt8(ascii: "\n"))
    var sent = 0
    while sent < line.count {
      let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      let count = unsafe line[sent...].withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress, $0.count, flags) }
      if count > 0 { sent += count }
      if count < 0 && errno == EAGAIN {
        guard wait(for: POLLOUT, until: deadline) else { return false }
      } else if count < 0 && errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Waits for the next line.
  func receive(until deadline: SuspendingClock.Instant) -> Received {
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      switch lines.next() {
      case .line(let line):
        guard let answer = try? JSONDecoder().decode(KeyringAnswer.self, from: Data(line)) else { return .ended }
        return .answer(answer)
      case .tooLong: return .ended
      case .incomplete: break
      }
      guard wait(for: POLLIN, until: deadline) else { return .late }
      let count = unsafe recv(socket, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      if count > 0 { lines.append(chunk[..<count]) }
      if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return .ended }
    }
  }

  /// False at the deadline.
  private func wait(for events: Int32, until deadline: SuspendingClock.Instant) -> Bool {
    while true {
      let left = SuspendingClock.now.duration(to: deadline)
      if left <= .zero { return false }
      let milliseconds = Int32(clamping: Int64(left / .milliseconds(1)) + 1)
      var request = pollfd(fd: socket, events: Int16(events), revents: 0)
      if unsafe poll(&request, 1, milliseconds) > 0 { return true }
    }
  }

  /// Kills it where it still runs, and reaps it. Its exit status, or 128 and the signal that ended it.
  @discardableResult
  func end() -> Int32 {
    if let status { return status }
    close(socket)
    kill(pid, SIGKILL)
    let ended = ChildProcess.reap(pid)
    status = ended
    return ended
  }
}

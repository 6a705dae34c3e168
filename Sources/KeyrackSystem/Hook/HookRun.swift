import CSystemd
import Glibc

/// One run of a hook. Blocks.
///
/// A shell starts the program and prints its exit status after its output: to systemd a service that SIGTERM has ended is
/// a success. The shell's standard input is a pipe whose other end is here; when that is closed, for whatever reason,
/// the shell and its group are killed, wherever they run and however far their start has come. What the program is to read
/// comes first in that pipe: so it is in no argument list and no environment.
struct HookRun: Sendable {
  /// Bytes of what a hook prints.
  static let maximumOutput = 64 * 1024
  /// The longest that the shell adds.
  private static let maximumTrailer = 4

  let hook: Hook
  let environment: HookEnvironment
  let cancellation: HookCancellation

  func outcome() throws(Hook.Failure) -> Hook.Outcome {
    let deadline = SuspendingClock.now + hook.limit
    let (lifeline, output) = (try HookPipe(), try HookPipe())
    defer {
      lifeline.closeWriteEnd()
      output.closeReadEnd()
    }
    if let input = hook.input { try lifeline.write(input) }
    let pid = try start(input: lifeline.readEnd, output: output.writeEnd)
    lifeline.closeReadEnd()
    output.closeWriteEnd()
    let bytes: [UInt8]
    do throws(Hook.Failure) {
      bytes = try read(output.readEnd, until: deadline)
    } catch {
      // A child, and whatever it has started; or what waits for the unit.
      kill(-pid, SIGKILL)
      _ = ChildProcess.reap(pid)
      throw error
    }
    // Nobody else had the other end.
    _ = ChildProcess.reap(pid)
    return try Self.outcome(of: bytes)
  }

  private func start(input: Int32, output: Int32) throws(Hook.Failure) -> pid_t {
    let shell = ["/bin/sh", "-c", script, "sh"] + hook.words
    let command = environment.command(for: hook, running: shell)
    do throws(ChildProcess.StartError) {
      return try ChildProcess.start(
        command.words[0], Array(command.words.dropFirst()), environment: command.environment, standardInput: input,
        standardOutput: output)
    } catch {
      throw Hook.Failure("could not start: \(SystemError.text(of: error.code))")
    }
  }

  private var script: String {
    let (reads, input) = hook.input == nil ? ("", "") : ("IFS= read -r line <&3", "printf '%s\\n' \"$line\" | ")
    return """
      exec 3<&0 </dev/null
      \(reads)
      { read -r _; kill -KILL 0; } <&3 >/dev/null &
      exec 3<&-
      \(input)"$@"\(hook.keepsOutput ? "" : " >/dev/null")
      printf '\\n%d' "$?"
      kill -KILL "$!"
      """
  }

  private func read(_ descriptor: Int32, until deadline: SuspendingClock.Instant) throws(Hook.Failure) -> [UInt8] {
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      try wait(for: descriptor, until: deadline)
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return output }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Hook.Failure("cannot be read: \(SystemError.text(of: errno))")
      }
      output += chunk[..<count]
      guard output.count <= Self.maximumOutput + Self.maximumTrailer else { throw Self.tooMuch }
    }
  }

  private func wait(for descriptor: Int32, until deadline: SuspendingClock.Instant) throws(Hook.Failure) {
    while true {
      let left = SuspendingClock.now.duration(to: deadline)
      guard left > .zero else { throw Hook.Failure("has not ended within \(hook.limit)") }
      let milliseconds = Int32(clamping: Int64(left / .milliseconds(1)) + 1)
      var requests = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard unsafe poll(&requests, 2, milliseconds) > 0 else { continue }
      if requests[1].revents != 0 { throw Hook.Failure("is not waited for any more") }
      return
    }
  }

  private static func outcome(of bytes: [UInt8]) throws(Hook.Failure) -> Hook.Outcome {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")),
      let status = Int32(String(decoding: bytes[(end + 1)...], as: UTF8.self))
    else { throw Hook.Failure("could not be started, or was ended from outside") }
    guard end <= maximumOutput else { throw tooMuch }
    return Hook.Outcome(output: Array(bytes[..<end]), status: status)
  }

  private static let tooMuch = Hook.Failure("has printed more than \(maximumOutput / 1024) KiB")
}

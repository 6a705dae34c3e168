import Glibc

/// The person's terminal, whatever standard input and output are.
struct Terminal: ~Copyable {
  private enum Input {
    case line([UInt8])
    case signal(Int32)
  }

  private let descriptor: Int32

  init() throws(CommandFailure) {
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw CommandFailure(
        status: 2, "there is no terminal to ask on", hint: "keyrack login ACCOUNT --username NAME --password-stdin")
    }
  }

  deinit { _ = close(descriptor) }

  /// A line that the person typed, without its end; empty where they ended the input.
  ///
  /// However it ends, the terminal is as it was. Throws with 128 and its number where a signal ended it.
  func ask(_ prompt: String, showing: Bool) throws(CommandFailure) -> [UInt8] {
    var normal = termios()
    guard unsafe tcgetattr(descriptor, &normal) == 0 else {
      throw CommandFailure(
        status: 1, "could not read the settings of the terminal: \(unsafe String(cString: strerror(errno)))")
    }
    var quiet = normal
    if !showing { quiet.c_lflag &= ~tcflag_t(ECHO) }
    let signals = PromptSignals()
    var input: Input
    repeat {
      // What was typed ahead is dropped with it: it was shown.
      unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet)
      _ = Output.write(Array(prompt.utf8), to: descriptor)
      input = readLine(signals)
      unsafe tcsetattr(descriptor, TCSAFLUSH, &normal)
      if !showing { _ = Output.write([UInt8(ascii: "\n")], to: descriptor) }
    } while Self.wasStopped(by: input)
    signals.restore()
    switch input {
    case .line(let line): return line
    case .signal(let number): throw CommandFailure(status: 128 + number, "interrupted")
    }
  }

  /// Ctrl-Z: stops now that the terminal is as it was, and asks again once it goes on.
  private static func wasStopped(by input: Input) -> Bool {
    guard case .signal(SIGTSTP) = input else { return false }
    raise(SIGSTOP)
    return true
  }

  private func readLine(_ signals: borrowing PromptSignals) -> Input {
    var line: [UInt8] = []
    // As much as a terminal gives in one line: the array never moves, so that no copy is left behind.
    line.reserveCapacity(4096)
    while true {
      guard signals.wait(for: descriptor) else {
        if let number = signals.taken() { return .signal(number) }
        continue
      }
      var byte: UInt8 = 0
      let count = unsafe read(descriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { return .line(line) }
      line.append(byte)
    }
  }
}

import Glibc

/// The person's terminal, whatever standard input and output are.
struct Terminal: ~Copyable {
  private enum Input {
    case line([UInt8])
    case end
    case signal(Int32)
  }

  private let descriptor: Int32

  /// `alternative`: what to do where there is none.
  init(
    instead alternative: String = "keyrack login ACCOUNT --username NAME --password-stdin"
  ) throws(CommandFailure) {
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw CommandFailure(
        status: 2, "there is no terminal to ask on", hint: alternative)
    }
  }

  deinit { _ = close(descriptor) }

  static var isThere: Bool {
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    return descriptor >= 0 && close(descriptor) == 0
  }

  /// A line that the person typed, without its end; empty where they ended the input.
  func ask(_ prompt: String, showing: Bool, longest: Int = 4096) throws(CommandFailure) -> [UInt8] {
    try line(prompt, showing: showing, longest: longest) ?? []
  }

  /// The same, nil where they ended the input.
  ///
  /// However it ends, the terminal is as it was. Throws with 128 and its number where a signal ended it.
  /// A terminal gives a line of at most 4,095 bytes: a longer one is read byte by byte, and without its help in editing.
  func line(_ prompt: String, showing: Bool, longest: Int = 4096) throws(CommandFailure) -> [UInt8]? {
    var normal = termios()
    guard unsafe tcgetattr(descriptor, &normal) == 0 else {
      throw CommandFailure(
        status: 1, "could not read the settings of the terminal: \(unsafe String(cString: strerror(errno)))")
    }
    var quiet = normal
    if !showing { quiet.c_lflag &= ~tcflag_t(ECHO) }
    if longest > 4096 { quiet.c_lflag &= ~tcflag_t(ICANON) }
    let signals = PromptSignals()
    var input: Input
    repeat {
      // What was typed ahead is dropped with it: it was shown.
      unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet)
      _ = Output.write(Array(prompt.utf8), to: descriptor)
      input = readLine(signals, longest)
      unsafe tcsetattr(descriptor, TCSAFLUSH, &normal)
      if !showing { _ = Output.write([UInt8(ascii: "\n")], to: descriptor) }
    } while Self.wasStopped(by: input)
    signals.restore()
    switch input {
    case .line(let line): return line
    case .end: return nil
    case .signal(let number): throw CommandFailure(status: 128 + number, "interrupted")
    }
  }

  /// Ctrl-Z: stops now that the terminal is as it was, and asks again once it goes on.
  private static func wasStopped(by input: Input) -> Bool {
    guard case .signal(SIGTSTP) = input else { return false }
    raise(SIGSTOP)
    return true
  }

  private func readLine(_ signals: borrowing PromptSignals, _ longest: Int) -> Input {
    var line: [UInt8] = []
    // The array never moves, so that no copy is left behind.
    line.reserveCapacity(longest)
    while true {
      guard signals.wait(for: descriptor) else {
        if let number = signals.taken() { return .signal(number) }
        continue
      }
      var byte: UInt8 = 0
      let count = unsafe read(descriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return line.isEmpty ? .end : .line(line) }
      if byte == UInt8(ascii: "\n") { return .line(line) }
      switch byte {
      case 0x04 where longest > 4096: return line.isEmpty ? .end : .line(line)
      case 0x08 where longest > 4096, 0x7F where longest > 4096: _ = line.popLast()
      default: if line.count < longest { line.append(byte) }
      }
    }
  }
}

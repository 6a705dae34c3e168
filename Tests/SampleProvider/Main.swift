import Glibc

/// An identity provider for tests and the demonstration: a small OAuth server and a JSON login on loopback, which does
/// what it is told at `/control/` and remembers what it was asked.
@main
struct Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGTERM) { _ in _exit(0) }
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      let listener = try Listener(port: options.port)
      let provider = Monitor(Provider(settings: options.settings))
      if options.endsWithStandardInput { ServiceThread.start(exitAtEndOfInput) }
      print("{\"port\":\(listener.port)}")
      fflush(nil)
      listener.acceptForever { Connection(descriptor: $0, provider: provider, listener: listener).serve() }
    } catch {
      complain("\(error)")
      exit(error is Options.UsageError ? 2 : 1)
    }
  }

  /// A parent that was killed closes its end of the pipe: so nothing outlives a test run.
  private static func exitAtEndOfInput() {
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count == 0 || (count < 0 && errno != EINTR) { exit(0) }
    }
  }
}

/// Writes a line to standard error.
func complain(_ message: String) {
  let line = "sample-provider: \(message)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
}

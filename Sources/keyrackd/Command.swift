import FoundationEssentials
import Glibc
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem

/// `keyrackd` as it was called, up to the moment when a ``Daemon`` runs.
struct Command {
  /// sysexits.h, and what the service unit tells apart.
  enum ExitStatus {
    static let usage: Int32 = 64
    static let alreadyRunning: Int32 = 69
    static let tryAgain: Int32 = 75
    static let configuration: Int32 = 78
  }

  let arguments: [String]

  private static let help = """
    usage: keyrackd [--help | --version]

    Holds your sign-ins and hands access tokens to your programs, on a Unix socket. Runs in the foreground until SIGTERM;
    SIGHUP makes it read its configuration again. Usually systemd starts it: systemctl --user enable --now keyrack.socket

    files
      $XDG_CONFIG_HOME/keyrack/keyrack.conf   accounts and providers (default ~/.config), with keyrack.conf.d/*.conf
      $XDG_RUNTIME_DIR/keyrack/keyrack.sock   where it listens, unless $KEYRACK_SOCKET says another path
      $XDG_STATE_HOME/keyrack                 notes of ended sessions and interrupted refreshes (default ~/.local/state)

    exit status
      0 stopped   64 usage   69 already running   75 try again   78 configuration   1 other

    """

  func run() -> Int32 {
    switch arguments.dropFirst() {
    case []: return start()
    case ["--help"], ["-h"]:
      Self.write(Self.help, to: STDOUT_FILENO)
      return 0
    case ["--version"], ["-V"]:
      Self.write("keyrackd \(Keyrack.version)\n", to: STDOUT_FILENO)
      return 0
    default: return fail("takes no arguments but --help and --version", ExitStatus.usage)
    }
  }

  private func start() -> Int32 {
    ProcessHardening.apply()
    do {
      // Before any other thread, so that all of them leave the signals to it.
      let loop = try EventLoop()
      let listener = try ListeningSocket.open()
      defer { listener.removeFile() }
      let files = try ConfigurationFiles(environment: ProcessInfo.processInfo.environment)
      let (configuration, problem) = try configuration(files, keepingOn: listener.isActivated)
      let daemon = try Daemon(loop: loop, files: files, configuration: configuration, problem: problem)
      return try daemon.run(listener)
    } catch ListeningError.alreadyRunning {
      return fail("already running", ExitStatus.alreadyRunning)
    } catch let error as ConfigurationError {
      return fail(error.hint.map { "\(error.message)\nkeyrackd: \($0)" } ?? error.message, ExitStatus.configuration)
    } catch let error as HTTPClientError {
      return fail(error.message, ExitStatus.tryAgain)
    } catch {
      return fail("\(error)", 1)
    }
  }

  /// A daemon that its socket unit has started stays up with a broken configuration, to say so to whoever asks.
  private func configuration(
    _ files: ConfigurationFiles, keepingOn isActivated: Bool
  ) throws(ConfigurationError) -> (Configuration, ConfigurationError?) {
    do throws(ConfigurationError) { return (try files.load(), nil) } catch {
      guard isActivated else { throw error }
      return (Configuration(), error)
    }
  }

  private func fail(_ message: String, _ status: Int32) -> Int32 {
    Self.write("keyrackd: \(message)\n", to: STDERR_FILENO)
    return status
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}

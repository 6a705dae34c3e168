import Glibc
import KeyrackClient
import KeyrackProtocol

/// The program from its arguments to its exit status.
enum CommandLineInterface {
  static func run(_ arguments: [String]) -> Int32 {
    keepOutOfCoreDumps()
    do {
      return try perform(arguments)
    } catch let failure as CommandFailure {
      return fail(failure)
    } catch let error as ReplyError {
      return fail(CommandFailure(error))
    } catch let error as ClientError {
      return fail(CommandFailure(error))
    } catch {
      return fail(CommandFailure(status: 1, "\(error)"))
    }
  }

  private static func perform(_ arguments: [String]) throws -> Int32 {
    if arguments.isEmpty { throw CommandFailure.usage("which command?", of: nil) }
    if arguments == ["--version"] { return try VersionCommand.run(json: false) }
    guard let invocation = try Invocation(arguments) else { return try help(nil) }
    if invocation.has(.help) { return try help(invocation.command) }
    let json = invocation.has(.json)
    switch invocation.command {
    case .login: return try LoginCommand(invocation).run(json: json)
    case .logout: return try LogoutCommand(invocation).run(json: json)
    case .token: return try TokenCommand(invocation).run(json: json)
    case .status: return try StatusCommand(invocation).run(json: json)
    case .cancel: return try CancelCommand(invocation).run(json: json)
    case .reload: return try ReloadCommand.run(json: json)
    case .version: return try VersionCommand.run(json: json)
    case .help:
      guard let name = invocation.operands.first else { return try help(nil) }
      guard let command = Command(rawValue: name) else {
        throw CommandFailure.usage("\(name): no such command", of: nil)
      }
      return try help(command)
    }
  }

  private static func help(_ command: Command?) throws -> Int32 {
    try Output.data(command.map { Help.text(for: $0) } ?? Help.overview)
    return 0
  }

  private static func fail(_ failure: CommandFailure) -> Int32 {
    Output.failure(failure)
    return failure.status
  }

  /// A password or a token may be in memory.
  private static func keepOutOfCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(RLIMIT_CORE, &none)
  }
}

import Glibc
import KeyrackClient
import KeyrackProtocol

/// The program from its arguments to its exit status.
enum CommandLineInterface {
  static func run(_ arguments: [String]) -> Int32 {
    CoreDumps.forbid()
    do { return try perform(arguments) } catch { return fail(CommandFailure(error)) }
  }

  private static func perform(_ arguments: [String]) throws -> Int32 {
    if arguments.isEmpty { throw CommandFailure.usage("which command?", of: HelpTopic.overview) }
    if arguments == ["--version"] { return try VersionCommand.run(json: false) }
    switch try Order(arguments) {
    case .help(let topic): return try help(topic)
    case .command(let invocation):
      let json = invocation.has(.json)
      do { return try perform(invocation, json: json) } catch let refusal as Call.Refusal {
        guard json else { throw refusal.error }
        try Output.line(refusal.line.bytes)
        return refusal.error.code.exitStatus
      }
    }
  }

  private static func perform(_ invocation: Invocation, json: Bool) throws -> Int32 {
    switch invocation.command {
    case .login: try LoginCommand(invocation).run(json: json)
    case .logout: try LogoutCommand(invocation).run(json: json)
    case .token: try TokenCommand(invocation).run(json: json)
    case .exec: try ExecCommand(invocation).run()
    case .curl: try CurlCommand(invocation).run()
    case .sasl: try SASLCommand(invocation).run()
    case .kubeCredential: try KubeCredentialCommand(invocation).run()
    case .tokenFile: try TokenFileCommand(invocation).run()
    case .status: try StatusCommand(invocation).run(json: json)
    case .check: try CheckCommand.run(json: json)
    case .watch: try WatchCommand(invocation).run(json: json)
    case .wait: try WaitCommand(invocation).run(json: json)
    case .log: try LogCommand(invocation).run(json: json)
    case .accountAdd: try AccountAddCommand(invocation).run(json: json)
    case .accountList: try AccountListCommand.run(json: json)
    case .accountRemove: try AccountRemoveCommand(invocation).run(json: json)
    case .providerList: try ProviderListCommand.run(json: json)
    case .providerShow: try ProviderShowCommand(invocation).run(json: json)
    case .providerSecret: try ProviderSecretCommand(invocation).run(json: json)
    case .importAccount: try ImportCommand(invocation).run(json: json)
    case .gitCredential: try GitCredentialCommand(invocation).run()
    case .dockerCredential: try DockerCredentialCommand(invocation).run()
    case .cancel: try CancelCommand(invocation).run(json: json)
    case .reload: try ReloadCommand.run(json: json)
    case .purge: try PurgeCommand(invocation).run(json: json)
    case .version: try VersionCommand.run(json: json)
    case .help: try help(HelpTopic(invocation.operands))
    }
  }

  private static func help(_ topic: HelpTopic) throws -> Int32 {
    try Output.data(Help.text(about: topic))
    return 0
  }

  private static func fail(_ failure: CommandFailure) -> Int32 {
    Output.failure(failure)
    return failure.status
  }
}

import FoundationEssentials
import Glibc
import KeyrackProtocol
package import KeyrackCore

/// Asks by the askpass program of ssh: it shows its argument and says by its exit status what the person answered.
package struct Askpass: ConfirmationPrompt {
  private let environment: [String: String]
  private let standard: String
  private let limit: Duration

  /// `standard` is used where nothing says otherwise, if it is there.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment, standard: String = "/usr/bin/ssh-askpass",
    limit: Duration = .seconds(600)
  ) {
    self.environment = environment
    self.standard = standard
    self.limit = limit
  }

  package func ask(_ question: ConfirmationQuestion) async -> ConfirmationAnswer {
    let environment = await HookEnvironment.current(environment)
    let program = program(in: environment)
    if let obstacle = Self.obstacle(to: program, environment) { return obstacle }
    let hook = Hook(
      name: "askpass", words: [program, question.text], variables: ["SSH_ASKPASS_PROMPT": "confirm"],
      keepsOutput: false, limit: limit)
    do throws(Hook.Failure) {
      return Self.answer(try await hook.run(in: environment).status, program)
    } catch {
      return Self.failed(program, error.message)
    }
  }

  package func obstacle() async -> ConfirmationAnswer? {
    let environment = await HookEnvironment.current(environment)
    return Self.obstacle(to: program(in: environment), environment)
  }

  /// Empty where there is none.
  private func program(in environment: HookEnvironment) -> String {
    environment["SSH_ASKPASS"] ?? (unsafe access(standard, X_OK) == 0 ? standard : "")
  }

  private static func obstacle(to program: String, _ environment: HookEnvironment) -> ConfirmationAnswer? {
    guard !program.isEmpty else {
      return .impossible(.noAskpass, "there is no askpass program to ask the person with")
    }
    guard program.hasPrefix("/") else {
      return .impossible(.noAskpass, "SSH_ASKPASS is not an absolute path: \(program.printable)")
    }
    return environment.hasDisplay ? nil : .impossible(.noDisplay, "there is no display to ask the person on")
  }

  private static func answer(_ status: Int32, _ program: String) -> ConfirmationAnswer {
    switch status {
    case 0: .yes
    case 126, 127: failed(program, "could not be run")
    case 129...192: failed(program, "was killed by signal \(status - 128)")
    default: .no
    }
  }

  private static func failed(_ program: String, _ why: String) -> ConfirmationAnswer {
    .impossible(.askpassFailed, "the askpass program \(program.printable) \(why)")
  }
}

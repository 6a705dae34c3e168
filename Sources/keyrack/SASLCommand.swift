import FoundationEssentials
import KeyrackProtocol

/// `keyrack sasl`: what a mail program sends first, in base64.
struct SASLCommand {
  private let operation: TokenOperation
  private let message: SASLMessage

  init(_ invocation: Invocation) throws(CommandFailure) {
    guard let user = invocation[.user] else { throw .usage("--user: needed", of: .sasl) }
    let name = invocation[.mechanism]
    guard let mechanism = name.map({ SASLMessage.Mechanism(rawValue: $0.lowercased()) }) ?? .usual else {
      throw .usage("--mechanism: expected xoauth2 or oauthbearer", of: .sasl)
    }
    let port = try invocation.number(.port, in: 1...65535)
    if mechanism == .xoauth2, let stranger = [Option.host, .port].first(where: invocation.has) {
      throw .usage("\(stranger.flag): only with --mechanism oauthbearer", of: .sasl)
    }
    for option in [Option.user, .host] where !SASLMessage.isValid(invocation[option] ?? "-") {
      throw .usage("\(option.flag): expected a name without control characters", of: .sasl)
    }
    message = SASLMessage(mechanism: mechanism, user: user, host: invocation[.host], port: port)
    operation = try invocation.tokenOperation()
  }

  func run() throws -> Int32 {
    let token = try BearerToken(operation.token())
    try Output.line(Array(Data(message.text(with: token)).base64EncodedData()))
    return 0
  }
}

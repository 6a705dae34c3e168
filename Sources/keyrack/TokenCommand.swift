import KeyrackProtocol

/// `keyrack token`: the token and a line feed on standard output, and nothing else there.
struct TokenCommand {
  private let operation: TokenOperation

  init(_ invocation: Invocation) throws {
    guard (invocation.account == nil) == invocation.has(.issuer) else {
      throw CommandFailure.usage("token: either an ACCOUNT or --issuer, which?", of: .token)
    }
    let minimum = try invocation.seconds(.minimumValidity, in: 0...TokenOperation.maximumSeconds)
    let timeout = try invocation.seconds(.timeout, in: 1...TokenOperation.maximumSeconds)
    let rejected =
      try invocation.has(.rejectedFromInput)
      ? StandardInput.line("refused token", longest: StandardInput.longestToken) : nil
    operation = TokenOperation(
      account: invocation.account, issuer: invocation[.issuer], minimumValidity: minimum, rejected: rejected,
      scope: invocation[.scope], timeout: timeout)
  }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(operation, json: json) { reply in
      try Output.line(reply.token.bytes)
      if !reply.minimumValidityMet {
        let left = reply.expiresIn.map { "only \(RelativeTime.length($0))" } ?? "less than was asked"
        Output.warning("\(reply.account): the token could not be refreshed, it is good for \(left)")
      }
    }
  }
}

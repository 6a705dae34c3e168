import KeyrackProtocol

/// `keyrack token`: the token and a line feed on standard output, and nothing else there.
struct TokenCommand {
  private let operation: TokenOperation
  private let isHeader: Bool

  init(_ invocation: Invocation) throws {
    guard (invocation.account == nil) == invocation.has(.issuer) else {
      throw CommandFailure.usage("token: either an ACCOUNT or --issuer, which?", of: .token)
    }
    try invocation.exclude(.header, .json)
    let rejected =
      try invocation.has(.rejectedFromInput)
      ? StandardInput.line("refused token", longest: StandardInput.longestToken) : nil
    operation = try invocation.tokenOperation(rejected: rejected)
    isHeader = invocation.has(.header)
  }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(operation, json: json) { reply in
      try Output.line(isHeader ? BearerToken(reply).header : reply.token.bytes)
      reply.warnIfShort()
    }
  }
}
